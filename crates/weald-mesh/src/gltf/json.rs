//! JSON with the same bytes everywhere.
//!
//! Whether `serde_json` keeps the order of keys or sorts them depends on the features that other crates of a build
//! ask for. Here they are always sorted.

use serde_json::Value;

/// Prints a value on one line, the keys of every object sorted.
pub(super) fn print_sorted(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                print_sorted(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_unstable_by_key(|&(key, _)| key);
            out.push('{');
            for (index, (key, item)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                print_sorted(item, out);
            }
            out.push('}');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

/// The shortest decimal that reads back as this f32: 0.8 rather than 0.800000011920929.
pub(super) fn short(value: f32) -> Value {
    let exact = f64::from(value);
    let shortest = value.to_string().parse().unwrap_or(exact);
    Value::from(if shortest as f32 == value { shortest } else { exact })
}
