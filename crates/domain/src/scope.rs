//! Rights. Every operation names one fine-grained scope; a user's `scope` is a list of coarse scopes and, optionally, single
//! fine-grained ones. The table from coarse to fine-grained scopes is here and nowhere else.

use std::collections::HashSet;

/// Fine-grained scopes with the coarse scopes that include them, by initial (`admin` includes all, `*` is every signed-in
/// user).
const TABLE: &[(&str, &str)] = &[
    ("auth:user:verify", "*"),
    ("auth:session:whoami", "*"),
    ("auth:session:start", "*"),
    ("auth:session:close", "*"),
    ("auth:session:read", "*"),
    ("auth:password:reset", "*"),
    ("auth:preferences:write", "*"),
    ("auth:scope:read", "*"),
    ("notification:stream:subscribe", "*"),
    ("org:api-token:create", "*"),
    ("org:api-token:read", "*"),
    ("org:api-token:revoke", "*"),
    ("org:user:read", "LPOQWV"),
    ("org:department:read", "LPOQWV"),
    ("config:tag:read", "LPOQWV"),
    ("quality:form:read", "LPOQWV"),
    ("attachment:file:read", "LPOQWV"),
    ("attachment:media:read", "LPOQWV"),
    ("admin:custom-data:read", "LPOQWV"),
    ("product:catalogue:read", "LPOQWV"),
    ("product:bom:read", "LPOQWV"),
    ("process:template:read", "LPOQWV"),
    ("production:work-order:read", "LPOQWV"),
    ("production:job:read", "LPOQWV"),
    ("production:work-session:read", "LPOQWV"),
    ("production:queue:read", "LPOQWV"),
    ("traceability:event:read", "LPOQWV"),
    ("traceability:batch-execution-record:read", "LPOQWV"),
    ("traceability:counter:read", "LPOQWV"),
    ("serial:read", "LPOQWV"),
    ("trace:read", "LPOQWV"),
    ("inventory:position:read", "LPOQWV"),
    ("inventory:movement:read", "LPOQWV"),
    ("inventory:movement-list:read", "LPOQWV"),
    ("inventory:inventory:read", "LPOQWV"),
    ("inventory:count:read", "LPOQWV"),
    ("collaboration:issue-type:read", "LPOQWV"),
    ("collaboration:issue:read", "LPOQWV"),
    ("collaboration:message:read", "LPOQWV"),
    ("collaboration:task:read", "LPOQWV"),
    ("collaboration:task-type:read", "LPOQWV"),
    ("audit:log:read", "QV"),
    ("admin:webhook:read", "V"),
    ("product:catalogue:create", "L"),
    ("product:catalogue:update", "L"),
    ("product:catalogue:delete", "L"),
    ("product:bom:update", "L"),
    ("process:template:create", "L"),
    ("process:template:update", "L"),
    ("process:phase:configure", "L"),
    ("traceability:counter:write", "L"),
    ("quality:form:create", "LQ"),
    ("quality:form:update", "LQ"),
    ("config:tag:write", "LPQW"),
    ("attachment:file:upload", "LPOQW"),
    ("attachment:file:delete", "LPOQW"),
    ("attachment:media:write", "LPQ"),
    ("production:work-order:create", "P"),
    ("production:work-order:update", "P"),
    ("production:work-order:update-quantities", "P"),
    ("production:work-order:delete", "P"),
    ("production:job:update", "P"),
    ("production:queue:update", "P"),
    ("traceability:event:create", "POQW"),
    ("inventory:position:create", "W"),
    ("inventory:position:update", "W"),
    ("inventory:position:delete", "W"),
    ("inventory:movement:adjust", "WP"),
    ("inventory:movement-list:create", "W"),
    ("inventory:count:create", "W"),
    ("inventory:count:update", "W"),
    ("inventory:count:delete", "W"),
    ("inventory:count:apply", "W"),
    ("collaboration:issue-type:write", "Q"),
    ("collaboration:task-type:write", "PQ"),
    ("collaboration:issue:delete", "Q"),
    ("serial:correct", "PQ"),
    ("traceability:event:behalf", ""),
    ("org:user:create", ""),
    ("org:user:write", ""),
    ("org:user:delete", ""),
    ("org:department:write", ""),
    ("admin:operation:reset-prod", ""),
    ("admin:operation:reset-inventory", ""),
    ("admin:operation:force-delete-work-order", ""),
    ("admin:config:write", ""),
    ("admin:custom-data:write", ""),
    ("admin:webhook:write", ""),
];

/// The coarse scopes: name, initial in the table, description.
const COARSE: &[(&str, char, &str)] = &[
    ("admin", 'A', "access and edit users and system settings"),
    ("library", 'L', "access and edit products"),
    ("production", 'P', "access and edit production plans"),
    ("operator", 'O', "use the operator panel and make production declarations"),
    ("quality", 'Q', "define quality forms and issue types, read the audit log"),
    ("warehouse", 'W', "manage positions, movements and counting"),
    ("viewer", 'V', "look at everything, change nothing"),
];

/// The scope of the first user: everything.
pub const EVERY_COARSE_SCOPE: &str = "admin library production operator quality warehouse viewer";

/// One fine-grained scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope(u8);

impl Scope {
    /// Looks a scope up at compile time: `const { Scope::named("auth:session:whoami") }`. A wrong name does not compile.
    pub const fn named(name: &str) -> Self {
        let mut index = 0;
        while index < TABLE.len() {
            if same(TABLE[index].0.as_bytes(), name.as_bytes()) {
                return Self(index as u8);
            }
            index += 1;
        }
        panic!("no such scope in the table");
    }

    pub const fn name(self) -> &'static str {
        TABLE[self.0 as usize].0
    }

    pub fn all() -> impl Iterator<Item = Scope> {
        (0..TABLE.len() as u8).map(Scope)
    }

    fn parse(name: &str) -> Option<Self> {
        Self::all().find(|scope| scope.name() == name)
    }
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// A set of fine-grained scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rights(u128);

const _: () = assert!(TABLE.len() <= 128, "Rights keeps one bit per scope");

impl Rights {
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & (1 << scope.0) != 0
    }

    #[must_use]
    pub const fn with(self, scope: Scope) -> Self {
        Self(self.0 | 1 << scope.0)
    }

    #[must_use]
    pub const fn without(self, others: Rights) -> Self {
        Self(self.0 & !others.0)
    }

    #[must_use]
    pub const fn intersect(self, other: Rights) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether all of these are among the others.
    pub const fn within(self, others: Rights) -> bool {
        self.0 & !others.0 == 0
    }

    pub fn names(self) -> Vec<&'static str> {
        Scope::all().filter(|&scope| self.contains(scope)).map(Scope::name).collect()
    }

    /// The scopes whose initials include this letter; computed at compile time, since every request needs them.
    const fn with_initial(initial: char) -> Self {
        let mut rights = 0;
        let mut index = 0;
        while index < TABLE.len() {
            let initials = TABLE[index].1.as_bytes();
            let mut place = 0;
            while place < initials.len() {
                if initials[place] == initial as u8 {
                    rights |= 1 << index;
                }
                place += 1;
            }
            index += 1;
        }
        Self(rights)
    }

    /// What every signed-in user may do.
    pub const fn base() -> Self {
        const BASE: Rights = Rights::with_initial('*');
        BASE
    }

    const fn all() -> Self {
        Self((1 << TABLE.len()) - 1)
    }

    pub fn of_coarse(name: &str) -> Option<Self> {
        COARSE_RIGHTS.iter().find(|(coarse, _)| *coarse == name).map(|(_, rights)| *rights)
    }

    fn of_word(word: &str) -> Option<Self> {
        Self::of_coarse(word).or_else(|| Scope::parse(word).map(|scope| Self(1 << scope.0)))
    }

    /// What a user with this scope text may do. Words that are not scopes give nothing.
    pub fn of(scope_text: &str) -> Self {
        scope_text
            .split_ascii_whitespace()
            .filter_map(Self::of_word)
            .fold(Self::base(), |rights, more| Self(rights.0 | more.0))
    }
}

const COARSE_RIGHTS: [(&str, Rights); COARSE.len()] = {
    let mut all = [("", Rights(0)); COARSE.len()];
    let mut index = 0;
    while index < COARSE.len() {
        let (name, initial, _) = COARSE[index];
        all[index] = (name, if initial == 'A' { Rights::all() } else { Rights::with_initial(initial) });
        index += 1;
    }
    all
};

/// The words of a scope text that are neither coarse nor fine-grained scopes.
pub fn unknown_words(scope_text: &str) -> Vec<&str> {
    scope_text.split_whitespace().filter(|word| Rights::of_word(word).is_none()).collect()
}

/// A scope text with each of its words once, and single spaces between them.
pub fn tidy(scope_text: &str) -> String {
    let mut seen = HashSet::new();
    let words: Vec<&str> = scope_text.split_whitespace().filter(|word| seen.insert(*word)).collect();
    words.join(" ")
}

/// Whether a scope text contains the whole word; never a substring.
pub fn has_word(scope_text: &str, word: &str) -> bool {
    scope_text.split_ascii_whitespace().any(|found| found == word)
}

/// Name, description and rights of every coarse scope.
pub fn coarse_scopes() -> impl Iterator<Item = (&'static str, &'static str, Rights)> {
    COARSE.iter().filter_map(|(name, _, description)| Some((*name, *description, Rights::of_coarse(name)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ_PRODUCTS: Scope = Scope::named("product:catalogue:read");
    const WRITE_CONFIG: Scope = Scope::named("admin:config:write");
    const WHOAMI: Scope = Scope::named("auth:session:whoami");

    #[test]
    fn a_tidy_scope_has_each_word_once() {
        assert_eq!(tidy(" viewer\toperator  viewer "), "viewer operator");
        assert_eq!(tidy(&"warehouse ".repeat(40_000)), "warehouse");
    }

    #[test]
    fn admin_has_everything_and_nobody_else_writes_config() {
        let admin = Rights::of("admin");
        assert!(Scope::all().all(|scope| admin.contains(scope)));
        assert!(!Rights::of("library production operator quality warehouse viewer").contains(WRITE_CONFIG));
    }

    #[test]
    fn everybody_has_the_base_and_only_the_base_without_words() {
        assert_eq!(Rights::of(""), Rights::base());
        assert!(Rights::of("").contains(WHOAMI));
        assert!(!Rights::of("").contains(READ_PRODUCTS));
    }

    #[test]
    fn single_fine_scopes_add_to_the_base() {
        let rights = Rights::of("product:catalogue:read");
        assert!(rights.contains(READ_PRODUCTS));
        assert_eq!(rights.names().len(), Rights::base().names().len() + 1);
    }

    #[test]
    fn words_are_whole() {
        assert!(!has_word("administrator", "admin"));
        assert!(has_word("viewer admin", "admin"));
        assert_eq!(unknown_words("viewer adm product:catalogue:read x"), ["adm", "x"]);
    }

    #[test]
    fn viewers_only_read() {
        let changing = ["create", "write", "update", "delete", "upload", "configure", "apply", "reset-prod"];
        let own = Rights::base();
        for name in Rights::of("viewer").names() {
            let last = name.rsplit(':').next().unwrap();
            assert!(own.contains(Scope::parse(name).unwrap()) || !changing.contains(&last), "{name}");
        }
    }
}
