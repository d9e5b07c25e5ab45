use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    Vec::new()
}
