/// What flags in a query ask for: with some that are true, only those; otherwise all but those that are false.
pub fn flagged<T: Copy>(flags: &[(T, Option<bool>)]) -> Vec<T> {
    let chosen = flags.iter().any(|(_, flag)| *flag == Some(true));
    let wanted = |flag: Option<bool>| if chosen { flag == Some(true) } else { flag != Some(false) };
    flags.iter().filter(|(_, flag)| wanted(*flag)).map(|(value, _)| *value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const YES: Option<bool> = Some(true);
    const NO: Option<bool> = Some(false);

    #[test]
    fn the_scenario_of_tasks() {
        let of = |pending, open, completed, canceled| {
            flagged(&[('p', pending), ('o', open), ('c', completed), ('x', canceled)]).into_iter().collect::<String>()
        };
        assert_eq!(of(None, None, None, None), "pocx");
        assert_eq!(of(None, YES, None, None), "o");
        assert_eq!(of(YES, YES, None, None), "po");
        assert_eq!(of(None, None, None, NO), "poc");
        assert_eq!(of(None, YES, NO, None), "o");
        assert_eq!(of(NO, NO, NO, NO), "");
    }

    proptest! {
        #[test]
        fn true_is_in_and_false_is_out(flags: Vec<Option<bool>>) {
            let flags: Vec<(usize, Option<bool>)> = flags.into_iter().enumerate().collect();
            let wanted = flagged(&flags);
            let chosen = flags.iter().any(|(_, flag)| *flag == YES);
            for (value, flag) in flags {
                let expected = match flag {
                    Some(flag) => flag,
                    None => !chosen,
                };
                prop_assert_eq!(wanted.contains(&value), expected);
            }
        }
    }
}
