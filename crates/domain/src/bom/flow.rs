//! Follows an amount of one product through a cone.
//!
//! Each product is calculated once, after all that lead to it. A limit on levels needs more work only if some path goes
//! beyond it: there, amounts are kept separately by the number of steps they have come.

use super::BomError;
use super::amount::Amount;
use super::cone::Cone;

pub(super) struct Flow {
    /// What reaches each product, over all paths within the limit.
    total: Vec<Amount>,
    /// The part that has come by as many steps as allowed and would go on, if there is any.
    cut_off: Option<Vec<Amount>>,
}

impl Flow {
    pub(super) fn new(cone: &Cone, amount: Amount) -> Result<Self, BomError> {
        let nothing = vec![Amount::ZERO; cone.len()];
        if !cone.goes_beyond(0, Cone::START) {
            let mut total = nothing;
            total[Cone::START] = amount;
            pass_at_once(cone, &mut total)?;
            return Ok(Self { total, cut_off: None });
        }

        let mut apart = Apart { together: nothing.clone(), total: nothing.clone(), cut_off: nothing };
        apart.pass_by_depth(cone, amount)?;
        let Apart { mut together, total: apart, cut_off } = apart;
        pass_at_once(cone, &mut together)?;
        let total = together.into_iter().zip(apart).map(|(together, apart)| together.plus(apart));
        Ok(Self { total: total.collect::<Result<_, _>>()?, cut_off: Some(cut_off) })
    }

    pub(super) fn total(&self, product: usize) -> Amount {
        self.total[product]
    }

    pub(super) fn cut_off(&self, product: usize) -> Amount {
        self.cut_off.as_ref().map_or(Amount::ZERO, |cut_off| cut_off[product])
    }
}

/// Passes on what has reached each product, and adds it to the next ones.
fn pass_at_once(cone: &Cone, arrived: &mut [Amount]) -> Result<(), BomError> {
    for product in 0..cone.len() {
        let amount = arrived[product];
        for step in cone.steps(product) {
            arrived[step.to] = arrived[step.to].plus(amount.times(step.qt)?)?;
        }
    }
    Ok(())
}

struct Apart {
    /// What arrives by paths from which nothing goes beyond the limit; it is not passed on here.
    together: Vec<Amount>,
    /// What arrives by all other paths.
    total: Vec<Amount>,
    cut_off: Vec<Amount>,
}

impl Apart {
    /// Continues depth by depth, as long as something goes beyond the limit.
    fn pass_by_depth(&mut self, cone: &Cone, amount: Amount) -> Result<(), BomError> {
        let (mut here, mut there) = (vec![Cone::START], Vec::new());
        let mut arrived = vec![Amount::ZERO; cone.len()];
        let mut arriving = arrived.clone();
        arrived[Cone::START] = amount;
        for depth in 1..=cone.limit() {
            for product in here.drain(..) {
                let amount = std::mem::take(&mut arrived[product]);
                self.total[product] = self.total[product].plus(amount)?;
                for step in cone.steps(product) {
                    let amount = amount.times(step.qt)?;
                    if !cone.goes_beyond(depth, step.to) {
                        self.together[step.to] = self.together[step.to].plus(amount)?;
                    } else if amount != Amount::ZERO {
                        if arriving[step.to] == Amount::ZERO {
                            there.push(step.to);
                        }
                        arriving[step.to] = arriving[step.to].plus(amount)?;
                    }
                }
            }
            if there.is_empty() {
                break;
            }
            std::mem::swap(&mut here, &mut there);
            std::mem::swap(&mut arrived, &mut arriving);
        }
        for product in here {
            self.total[product] = self.total[product].plus(arrived[product])?;
            self.cut_off[product] = arrived[product];
        }
        Ok(())
    }
}
