//! The table of results, with one line per figure: the product, the reference, the target.

/// A figure and its target.
pub struct Row {
    pub figure: String,
    pub product: String,
    pub reference: String,
    /// The value to compare with the target: a ratio, or an absolute figure without a reference.
    pub value: f64,
    pub target: Target,
}

/// The target of a figure.
pub enum Target {
    AtLeast(f64),
    AtMost(f64),
}

impl Row {
    /// Prints the names of the columns.
    pub fn heading() {
        line("figure", "product", "reference", "value", "target", "");
    }

    /// Prints the row.
    pub fn print(&self) {
        let (target, kept) = match self.target {
            Target::AtLeast(least) => (format!(">= {least}"), self.value >= least),
            Target::AtMost(most) => (format!("<= {most}"), self.value <= most),
        };
        let verdict = if kept { "kept" } else { "MISSED" };
        let value = format!("{:.2}", self.value);
        line(&self.figure, &self.product, &self.reference, &value, &target, verdict);
    }
}

/// A line with the column widths of the browsers' figures (`table.ts`).
fn line(figure: &str, product: &str, reference: &str, value: &str, target: &str, verdict: &str) {
    println!("{figure:<46} {product:>16} {reference:>16} {value:>8} {target:>9}  {verdict}");
}

/// The median of some measurements.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
