//! Enums whose values have one name, the same in requests, answers and the database.

/// Declares such an enum, with `ALL`, `name`, `parse`, and serialisation by name.
#[macro_export]
macro_rules! named {
    ($(#[$doc:meta])* pub enum $enum:ident { $($(#[$value_doc:meta])* $value:ident = $name:literal,)+ }) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        $(#[$doc])*
        pub enum $enum {
            $($(#[$value_doc])* #[serde(rename = $name)] $value,)+
        }

        impl $enum {
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            pub const fn name(self) -> &'static str {
                match self { $(Self::$value => $name,)+ }
            }

            pub fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$value),)+ _ => None }
            }
        }
    };
}
