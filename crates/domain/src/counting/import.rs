use crate::named;

named! {
    /// Which records of a counting session a file of counts takes the place of.
    #[schemars(rename = "CountImportMode")]
    pub enum ImportMode {
        /// Those of the same products at the same positions.
        Update = "update",
        /// All of them.
        Replace = "replace",
    }
}
