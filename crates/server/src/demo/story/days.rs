//! The days of the plant: what happens when. The minutes count from the beginning of the shift.

pub(crate) struct Scene {
    pub(crate) day: usize,
    pub(crate) minute: i64,
    pub(crate) act: Act,
}

pub(crate) enum Act {
    /// Goods come.
    Receive(&'static [Delivery]),
    /// Orders are planned, by their numbers.
    Plan(&'static [usize]),
    /// People work side by side.
    Work(&'static [Work]),
    /// One of the scenes that happen once.
    Once(Once),
}

#[derive(Clone, Copy)]
pub(crate) enum Once {
    OrderTheQueues,
    CorrectAReading,
    CountGearboxesByHand,
    WithdrawTheSample,
    ChangeTheSet,
    ReplaceASensor,
    DropAModule,
    ShipToBergrad,
    LendToNordkette,
    PickForNordkette,
    RefillTheLine,
    ExpectADelivery,
    CorrectStock,
    CountTheRacks,
    BeginACount,
    ReportBadBoard,
    ReportLeak,
    ComplainAboutModules,
    ReportDrift,
    LookAfterIssues,
    PlanTasks,
    LookAfterTasks,
    TalkAboutIt,
}

pub(crate) struct Delivery {
    pub(crate) product: &'static str,
    pub(crate) quantity: u32,
    /// Of traced goods: how their codes begin, the first number, and their lot.
    pub(crate) serials: Option<(&'static str, u32, &'static str)>,
    pub(crate) order: &'static str,
    pub(crate) partner: (&'static str, &'static str),
    /// False for goods that stay the supplier's until they are used.
    pub(crate) owned: bool,
}

/// Batches that one person makes of a phase of an order.
pub(crate) struct Work {
    pub(crate) order: usize,
    pub(crate) phase: usize,
    pub(crate) batches: usize,
    /// What becomes of the last one.
    pub(crate) then: Then,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    Done,
    Paused,
    Running,
}

/// Scrap: order, phase, which batch of it, how many, why.
pub(crate) const SCRAPS: &[(usize, usize, usize, usize, &str)] = &[
    (1, 1, 0, 1, "Solder bridge at the power module"),
    (2, 1, 0, 2, "Louder than 62 dB(A)"),
    (4, 1, 1, 1, "Current sensor can't be calibrated"),
    (5, 1, 4, 1, "Leak at the shaft seal"),
    (12, 1, 1, 1, "Louder than 62 dB(A)"),
];

/// The order, phase and batch whose report nobody attached.
pub(crate) const WITHOUT_REPORT: (usize, usize, usize) = (10, 1, 2);
/// The battery whose certificate nobody entered.
pub(crate) const WITHOUT_CERTIFICATE: &str = "BT5-0107";

const HALVA: (&str, &str) = ("Halva Semiconductors", "S-0107");
const KERN: (&str, &str) = ("Kern Magnetics", "S-0112");
const BRENTA: (&str, &str) = ("Brenta Metalworks", "S-0121");
const KALTERN: (&str, &str) = ("Kaltern Energy", "S-0140");
const SUPPLY: (&str, &str) = ("Etsch Industrial Supply", "S-0150");

const fn goods(
    product: &'static str,
    quantity: u32,
    order: &'static str,
    partner: (&'static str, &'static str),
) -> Delivery {
    Delivery { product, quantity, serials: None, order, partner, owned: true }
}

impl Delivery {
    const fn coded(mut self, begins: &'static str, first: u32, lot: &'static str) -> Self {
        self.serials = Some((begins, first, lot));
        self
    }

    const fn on_consignment(mut self) -> Self {
        self.owned = false;
        self
    }
}

const fn done(order: usize, phase: usize, batches: usize) -> Work {
    Work { order, phase, batches, then: Then::Done }
}

const fn left(order: usize, phase: usize, then: Then) -> Work {
    Work { order, phase, batches: 1, then }
}

const fn receive(day: usize, minute: i64, deliveries: &'static [Delivery]) -> Scene {
    Scene { day, minute, act: Act::Receive(deliveries) }
}

const fn plan(day: usize, minute: i64, orders: &'static [usize]) -> Scene {
    Scene { day, minute, act: Act::Plan(orders) }
}

const fn work(day: usize, minute: i64, works: &'static [Work]) -> Scene {
    Scene { day, minute, act: Act::Work(works) }
}

const fn once(day: usize, minute: i64, scene: Once) -> Scene {
    Scene { day, minute, act: Act::Once(scene) }
}

const ELECTRONICS: &[Delivery] = &[
    goods("pm-4", 40, "PO-3011", HALVA).coded("PM4-", 1, "HS-2241"),
    goods("pcb-7", 50, "PO-3011", HALVA),
    goods("cp-7", 100, "PO-3011", HALVA),
    goods("sp-60", 500, "PO-3011", HALVA),
    goods("tg-2", 250, "PO-3011", HALVA),
];
const MECHANICS: &[Delivery] = &[
    goods("rt-14", 24, "PO-3012", KERN).coded("RT14-", 1, "KM-0892"),
    goods("st-18", 60, "PO-3012", KERN),
    goods("cw-08", 25, "PO-3012", KERN),
    goods("gw-36", 80, "PO-3013", BRENTA),
    goods("hs-2", 60, "PO-3013", BRENTA),
    goods("hc-7", 60, "PO-3013", BRENTA),
];
const SUPPLIES: &[Delivery] = &[
    goods("gr-2", 5, "PO-3015", SUPPLY),
    goods("sc-m3", 1_000, "PO-3015", SUPPLY),
    goods("sc-m5", 2_000, "PO-3015", SUPPLY),
    goods("tl-3", 200, "PO-3015", SUPPLY),
    goods("cb-2", 40, "PO-3015", SUPPLY),
    goods("bx-1", 60, "PO-3015", SUPPLY),
    goods("um-1", 100, "PO-3015", SUPPLY),
];
const SENSORS: &[Delivery] = &[goods("ts-1", 20, "PO-3016", HALVA).coded("TS1-", 1, "HS-2250")];
const BATTERIES: &[Delivery] = &[
    goods("bt-500", 12, "PO-3020", KALTERN).coded("BT5-", 101, "KE-26-03").on_consignment(),
    goods("dp-2", 15, "PO-3021", HALVA).coded("DP2-", 1, "HS-2263"),
];
const MORE_ELECTRONICS: &[Delivery] = &[
    goods("pm-4", 40, "PO-3034", HALVA).coded("PM4-", 41, "HS-2307"),
    goods("pcb-7", 50, "PO-3034", HALVA),
    goods("rt-14", 24, "PO-3035", KERN).coded("RT14-", 25, "KM-0917"),
];
const MORE_BATTERIES: &[Delivery] = &[
    goods("bt-500", 16, "PO-3041", KALTERN).coded("BT5-", 113, "KE-26-05").on_consignment(),
    goods("dp-2", 15, "PO-3042", HALVA).coded("DP2-", 16, "HS-2318"),
    goods("ts-1", 20, "PO-3042", HALVA).coded("TS1-", 21, "HS-2319"),
];

/// In the order in which they happen.
pub(crate) const SCENES: &[Scene] = &[
    receive(1, 20, ELECTRONICS),
    receive(1, 90, MECHANICS),
    receive(1, 150, SUPPLIES),
    plan(2, 0, &[1, 2, 3]),
    work(2, 60, &[done(1, 0, 3), done(2, 0, 2)]),
    once(2, 420, Once::PlanTasks),
    work(3, 10, &[done(1, 1, 3)]),
    once(3, 130, Once::ReportBadBoard),
    work(4, 0, &[done(2, 1, 2)]),
    plan(4, 240, &[4]),
    work(5, 0, &[done(3, 0, 4), done(4, 0, 2)]),
    once(6, 15, Once::CorrectStock),
    receive(6, 60, SENSORS),
    work(6, 100, &[done(4, 0, 2)]),
    work(7, 0, &[done(4, 1, 4)]),
    once(7, 240, Once::CorrectAReading),
    plan(8, 0, &[5]),
    receive(8, 60, BATTERIES),
    work(9, 0, &[done(5, 0, 6)]),
    plan(10, 0, &[6, 7]),
    receive(10, 30, MORE_ELECTRONICS),
    work(10, 60, &[done(5, 1, 12)]),
    once(10, 480, Once::ReportLeak),
    work(11, 0, &[done(6, 0, 4), done(7, 0, 3)]),
    once(11, 300, Once::DropAModule),
    work(12, 0, &[done(6, 1, 4), done(7, 1, 3)]),
    once(12, 240, Once::ReplaceASensor),
    plan(13, 0, &[8, 9]),
    once(13, 60, Once::ShipToBergrad),
    once(14, 30, Once::CountTheRacks),
    work(15, 0, &[done(8, 0, 4), done(9, 0, 4)]),
    once(15, 360, Once::ComplainAboutModules),
    work(16, 0, &[done(9, 1, 4)]),
    plan(17, 0, &[10]),
    receive(17, 60, MORE_BATTERIES),
    work(18, 0, &[done(10, 0, 6)]),
    work(19, 0, &[done(10, 1, 12)]),
    once(19, 420, Once::LookAfterIssues),
    plan(20, 0, &[11, 12]),
    work(21, 0, &[done(11, 0, 5), done(12, 0, 1)]),
    once(21, 300, Once::CountGearboxesByHand),
    work(22, 0, &[done(11, 1, 5)]),
    work(23, 0, &[done(12, 1, 2)]),
    plan(24, 0, &[13, 14, 15]),
    work(24, 60, &[done(13, 0, 2)]),
    plan(25, 0, &[16]),
    once(25, 60, Once::LendToNordkette),
    work(26, 0, &[done(16, 0, 2), done(14, 0, 1)]),
    once(26, 180, Once::ReportDrift),
    plan(27, 0, &[17, 18, 19, 20]),
    once(27, 30, Once::OrderTheQueues),
    once(27, 60, Once::WithdrawTheSample),
    once(27, 120, Once::RefillTheLine),
    work(28, 0, &[done(13, 1, 1), left(14, 0, Then::Paused)]),
    once(28, 120, Once::ExpectADelivery),
    once(28, 180, Once::LookAfterTasks),
    once(28, 240, Once::ChangeTheSet),
    once(29, 5, Once::PickForNordkette),
    once(29, 60, Once::BeginACount),
    work(29, 100, &[left(13, 1, Then::Running), left(16, 0, Then::Running)]),
    once(29, 200, Once::TalkAboutIt),
];
