//! What commands print on standard output.

use std::io::Write as _;

use crate::exit::{self, Failure};

/// Prints a line; a reader that has gone away is no error.
pub(crate) fn line(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// A number with its thousands apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Prints the manual page: that of the command, then those of its parts.
pub(crate) fn man(command: &clap::Command) -> Result<u8, Failure> {
    let mut page = Vec::new();
    let fail =
        |error: std::io::Error| Failure::new(exit::OUTPUT, format!("cannot write the manual page: {error}"));
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(fail)?;
    for part in command.get_subcommands() {
        let title = format!("weald-{}", part.get_name());
        clap_mangen::Man::new(part.clone()).title(title).render(&mut page).map_err(fail)?;
    }
    let _ = std::io::stdout().write_all(&page);
    Ok(exit::OK)
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_set_apart() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
