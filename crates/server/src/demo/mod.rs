//! A demonstration plant: an empty site is filled with six weeks of a small factory that makes drive systems for e-bikes.
//! Everything happens through the operations of the service, called in process, each by somebody who may; only the clock is set.
//! The story is the same each time: names, codes, quantities and the hours between events.

mod client;
mod clock;
mod collaboration;
mod counting;
mod dice;
mod files;
mod house;
mod people;
mod plant;
mod processes;
mod production;
mod products;
mod story;
mod warehouse;

pub use story::people::{ACCOUNTS, Account};

use api::auth::{PasswordCost, temporary_password};
use api::{App, Clock};
use store::Db;
use store::backup::Progress;
use store::media::Media;

use self::clock::{DAYS, StoryClock};
use self::plant::{Plant, list};
use self::story::days::{Act, Once, SCENES};
use crate::process;
use crate::settings::Settings;
use crate::site::{Site, StartError, open_site};

/// What a chapter gives; the story stops at the first request that is not answered as expected.
type Told<T = ()> = Result<T, StartError>;

/// What was made.
#[derive(Debug)]
pub struct Filled {
    /// The password of everybody in [`ACCOUNTS`].
    pub password: String,
    /// Whether the settings have no password for `admin`, so that it was drawn.
    pub is_drawn: bool,
    pub orders: usize,
    pub units: usize,
}

/// Fills an empty site, so that the story ends now. Everybody gets the password that the settings have for `admin`, otherwise a
/// random one.
pub async fn fill(settings: &Settings, clock: Clock, progress: &dyn Progress) -> Result<Filled, StartError> {
    process::keep_files_private();
    settings.check()?;
    let given = settings.admin_password()?.map(str::to_owned);
    // Opening would migrate it.
    if !Db::is_unused(&settings.location()?).await? {
        return Err(in_use());
    }
    let site = open_site(settings, clock).await?;
    let is_drawn = given.is_none();
    let password = given.unwrap_or_else(temporary_password);
    let settings = Settings { admin_password: Some(password.clone()), ..settings.clone() };
    progress.begin("Days", DAYS as u64);
    let mut plant = open(&settings, site, password.clone(), progress).await?;
    let told = tell(&mut plant).await;
    let closed = plant.close().await;
    let (orders, units) = told?;
    closed?;
    Ok(Filled { password, is_drawn, orders, units })
}

fn in_use() -> StartError {
    StartError::Other("the site is in use: the demonstration needs an empty folder or database (one that was broken off has to be removed first)".to_owned())
}

/// Starts the site at the beginning of the story, without listening. Keys are made of the present, so only the clock goes back.
async fn open<'a>(settings: &Settings, site: Site, password: String, progress: &'a dyn Progress) -> Told<Plant<'a>> {
    let story = StoryClock::ending(site.clock.now());
    let site = Site { clock: story.clock.clone(), ..site };
    let media = Media::open(settings.media_root()?, &site.id().await?).await?;
    let signer = site.signer(settings).await?;
    if site.first_start(settings, PasswordCost::FULL).await?.is_none() {
        // Somebody has started it in the meantime.
        site.close().await;
        return Err(in_use());
    }
    let Site { db, node, clock, .. } = site;
    let app = App::new(db, media, node, clock, settings.api()?, signer);
    Ok(Plant::new(app, story, password, progress))
}

/// Tells the whole story; how many orders and units there are at its end.
async fn tell(plant: &mut Plant<'_>) -> Told<(usize, usize)> {
    people::enter(plant).await?;
    house::set_up(plant).await?;
    warehouse::furnish(plant).await?;
    products::fill(plant).await?;
    processes::define(plant).await?;
    collaboration::set_up(plant).await?;
    for scene in SCENES {
        plant.go_to(scene.day, scene.minute).await?;
        act(plant, &scene.act).await?;
    }
    plant.clock.go_to_end();
    let orders = plant.get("thomas", "/work-order?limit=10000").await?;
    let units = plant.get("thomas", "/serial?limit=10000").await?;
    Ok((list(&orders, "/detail")?.len(), list(&units, "")?.len()))
}

async fn act(plant: &mut Plant<'_>, act: &Act) -> Told {
    match act {
        Act::Receive(deliveries) => warehouse::receive(plant, deliveries).await,
        Act::Plan(orders) => production::plan(plant, orders).await,
        Act::Work(works) => production::work(plant, works).await,
        Act::Once(scene) => once(plant, *scene).await,
    }
}

async fn once(plant: &mut Plant<'_>, scene: Once) -> Told {
    match scene {
        Once::OrderTheQueues => production::order_the_queues(plant).await,
        Once::CorrectAReading => production::correct_a_reading(plant).await,
        Once::CountGearboxesByHand => production::count_gearboxes_by_hand(plant).await,
        Once::WithdrawTheSample => production::withdraw_the_sample(plant).await,
        Once::ChangeTheSet => processes::change_the_set(plant).await,
        Once::ReplaceASensor => warehouse::replace_a_sensor(plant).await,
        Once::DropAModule => warehouse::drop_a_module(plant).await,
        Once::ShipToBergrad => warehouse::ship_to_bergrad(plant).await,
        Once::LendToNordkette => warehouse::lend_to_nordkette(plant).await,
        Once::PickForNordkette => warehouse::pick_for_nordkette(plant).await,
        Once::RefillTheLine => warehouse::refill_the_line(plant).await,
        Once::ExpectADelivery => warehouse::expect_a_delivery(plant).await,
        Once::CorrectStock => warehouse::correct_stock(plant).await,
        Once::CountTheRacks => counting::count_the_racks(plant).await,
        Once::BeginACount => counting::begin_a_count(plant).await,
        Once::ReportBadBoard => collaboration::report_bad_board(plant).await,
        Once::ReportLeak => collaboration::report_leak(plant).await,
        Once::ComplainAboutModules => collaboration::complain_about_modules(plant).await,
        Once::ReportDrift => collaboration::report_drift(plant).await,
        Once::LookAfterIssues => collaboration::look_after_issues(plant).await,
        Once::PlanTasks => collaboration::plan_tasks(plant).await,
        Once::LookAfterTasks => collaboration::look_after_tasks(plant).await,
        Once::TalkAboutIt => collaboration::talk_about_it(plant).await,
    }
}
