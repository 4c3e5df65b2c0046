//! The surface: chunked dual contouring with Hermite data, closed by construction.
