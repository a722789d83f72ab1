//! Placeholder: written in this issue.
