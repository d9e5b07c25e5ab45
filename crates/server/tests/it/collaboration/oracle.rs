//! `GET /task` by random parameters, against a search that looks at every task.

use domain::search::Pattern;
use domain::text::fold;
use testkit::on_both_engines;

use super::*;
use crate::production::random::{Dice, new_seed};

const SEED: u64 = 0x7a5c;
const TASKS: usize = 60;
const SEARCHES: usize = 150;
/// Whole days around those of the tasks.
const DAYS: [&str; 5] = ["2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];
/// Members of tasks with the parameters that bound them.
const BOUNDS: [(&str, &str, &str); 4] = [
    ("start_from", "start_from_min", "start_from_max"),
    ("due_by", "due_by_min", "due_by_max"),
    ("created", "created_min", "created_max"),
    ("closed", "closed_min", "closed_max"),
];
const FLAGS: [(&str, &str); 4] = [
    ("status_pending", "pending"),
    ("status_open", "open"),
    ("status_completed", "completed"),
    ("status_canceled", "canceled"),
];

on_both_engines! {
    async fn random_searches_find_what_looking_at_every_task_finds(site) {
        let hits = search(site, SEED).await;
        assert!(hits > SEARCHES, "most of the searches find something: {hits}");
    }

    async fn searches_by_any_seed_do_so(site) {
        search(site, new_seed()).await;
    }
}

/// Makes tasks and searches for them; gives how many were found in all.
async fn search(site: &Site, seed: u64) -> usize {
    let team = team(site).await;
    let mut dice = Dice(seed.max(1));
    let world = World::make(site, &team, &mut dice).await;
    let mut hits = 0;
    for number in 0..SEARCHES {
        let search = Search::draw(&mut dice, &world);
        let expected: Vec<&str> = world.tasks.iter().filter(|task| search.finds(task)).map(key).collect();
        let total = expected.len();
        let query: Vec<(&str, &str)> = search.query.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut asked = query.clone();
        asked.extend([("limit", "10000"), ("count", "true")]);
        let whole = team.ask("/task", &asked).await.expect(200);
        assert_eq!(keys(&whole.body), expected, "{number}: {query:?}");
        assert_eq!(whole.header("x-total-count"), total.to_string(), "{number}: {query:?}");
        let (limit, offset) = (1 + dice.roll(7), dice.roll(total + 3));
        let (limit_text, offset_text) = (limit.to_string(), offset.to_string());
        let mut asked = query.clone();
        asked.extend([("limit", limit_text.as_str()), ("offset", offset_text.as_str()), ("count", "true")]);
        let page = team.ask("/task", &asked).await.expect(200);
        let expected: Vec<&str> = expected.into_iter().skip(offset).take(limit).collect();
        assert_eq!(keys(&page.body), expected, "{number}: {asked:?}");
        assert_eq!(page.header("x-total-count"), total.to_string(), "{number}: of a page, too: {asked:?}");
        hits += total;
    }
    hits
}

fn key(task: &Value) -> &str {
    task["_key"].as_str().unwrap()
}

fn keys(rows: &Value) -> Vec<&str> {
    rows.as_array().unwrap().iter().map(key).collect()
}

/// All tasks that are not deleted, each as it is read alone, in the order of lists.
struct World {
    tasks: Vec<Value>,
    types: Vec<String>,
    people: Vec<String>,
    /// What tasks are linked to: the parameter that asks for it, and the key.
    records: Vec<(&'static str, String)>,
}

impl World {
    async fn make(site: &Site, team: &Team, dice: &mut Dice) -> Self {
        team.fields().await;
        team.traced("T").await;
        team.traced("U").await;
        let form = json!([
            { "_key": "n", "custom_field_key": "note" },
            { "_key": "w", "custom_field_key": "weight" },
            { "_key": "g", "custom_field_key": "grade" },
            { "_key": "t", "custom_field_key": "ticked" },
            { "_key": "d", "custom_field_key": "day" },
        ]);
        let settings = LINKS.map(|kind| json!({ "type": kind, "enabled": true, "allow_multiple": true }));
        let mut types = Vec::new();
        for name in ["Repair", "Clean", "Look"] {
            types.push(team.task_type(name, json!({ "form_fields": form, "link_settings": settings })).await);
        }
        let mut records = vec![("product", "T".to_owned()), ("product", "U".to_owned())];
        for number in 0..2 {
            records.push(("issue", team.issue(json!({})).await));
            records.push(("work_order", team.order(&format!("W-{number}")).await.key));
            records.push(("serial", team.unit("T", &format!("SN-{number}"), json!({})).await));
        }
        let people: Vec<String> = [&team.ann, &team.ben, &team.cat].map(|user| user.key.clone()).to_vec();
        let mut made: Vec<String> = Vec::new();
        for number in 0..TASKS {
            site.clock.advance_seconds(60 * dice.roll(20) as i64);
            let key = text(
                &create(&team.ann, dice.pick(&types).as_str(), new_task(dice, &people, number)).await.detail()["task_key"],
            );
            lead(team, dice, &key, &records, &made).await;
            made.push(key);
        }
        // Whatever the dice say, one is deleted.
        task(&team.ben, "DELETED", &made[0], json!({})).await;
        let mut tasks = Vec::new();
        for key in &made {
            let answer = team.admin.get(&format!("/task/{key}")).await;
            if answer.status == 200 {
                tasks.push(answer.body);
            }
        }
        assert!(tasks.len() < TASKS, "some were deleted");
        tasks.sort_by_key(place);
        let parameter = |kind: &str| {
            ["issue_key", "work_order_key", "serial_key", "product_key"].into_iter().find(|name| name.starts_with(kind))
        };
        let mut records: Vec<(&'static str, String)> =
            records.into_iter().map(|(kind, key)| (parameter(kind).unwrap(), key)).collect();
        records.extend(made.iter().map(|key| ("linked_task_key", key.clone())));
        Self { tasks, types, people, records }
    }
}

/// What lists are sorted by: times as texts of one length, those that are missing behind all others.
fn place(task: &Value) -> [String; 5] {
    let time = |member: &str| task[member].as_str().unwrap_or("~").to_owned();
    [time("due_by"), time("created"), time("start_from"), time("closed"), time("_key")]
}

fn new_task(dice: &mut Dice, people: &[String], number: usize) -> Value {
    let mut members = json!({ "code": format!("{}-{number}", dice.pick(&["ab", "ca", "Ä", "aab"])) });
    if dice.roll(4) > 0 {
        members["title"] = json!(dice.pick(&["Mend the pump", "Look at the valve", "ÄRGER", "%_"]));
    }
    if dice.roll(2) == 0 {
        members["description"] = json!(dice.pick(&["the PUMP leaks", "a valve", "nothing else"]));
    }
    let mut others: Vec<&String> = people.iter().collect();
    let owner = others.swap_remove(dice.roll(others.len()));
    if dice.roll(4) > 0 {
        others.retain(|_| dice.roll(2) == 0);
        let participants = others.iter().map(|user| json!({ "user_key": user }));
        members["assigned_to"] = participants.chain([json!({ "user_key": owner, "role": "owner" })]).collect();
    }
    let time = |dice: &mut Dice, day: usize| format!("{}T{:02}:00:00Z", DAYS[day], 1 + dice.roll(3) * 7);
    if dice.roll(3) > 0 {
        let day = dice.roll(3);
        members["start_from"] = json!(if dice.roll(2) == 0 { DAYS[day].to_owned() } else { time(dice, day) });
    }
    if dice.roll(3) > 0 {
        let day = 3 + dice.roll(2);
        members["due_by"] = json!(if dice.roll(2) == 0 { DAYS[day].to_owned() } else { time(dice, day) });
    }
    if dice.roll(4) == 0 {
        members["created"] = json!("2026-02-28T12:00:00Z");
    }
    members
}

/// Fills, links, ends and deletes a task as it comes.
async fn lead(team: &Team, dice: &mut Dice, key: &str, records: &[(&'static str, String)], others: &[String]) {
    let mut entries = vec![
        ("n", json!(dice.pick(&["Red", "dark red", "Blue"]))),
        ("w", json!(dice.roll(7) as i64 - 3)),
        ("g", json!(dice.pick(&["g1", "g2"]))),
        ("t", json!(dice.roll(2) == 0)),
        ("d", json!(format!("2026-01-0{}", 1 + dice.roll(5)))),
    ];
    entries.retain(|_| dice.roll(4) > 0);
    if !entries.is_empty() {
        task(&team.ann, "UPDATED", key, json!({ "form_fields": values(&entries) })).await.expect(200);
    }
    for _ in 0..dice.roll(4) {
        let (kind, record) = dice.pick(records);
        let answer = task_link(&team.ann, "LINKED", key, kind, record).await;
        assert!([200, 422].contains(&answer.status), "{}", answer.text);
    }
    if !others.is_empty() && dice.roll(3) == 0 {
        let answer = task_link(&team.ann, "LINKED", key, "task", dice.pick(others).as_str()).await;
        assert!([200, 422].contains(&answer.status), "what was deleted: {}", answer.text);
    }
    let steps: &[&str] = match dice.roll(8) {
        0 => &["COMPLETED"],
        1 => &["CANCELED"],
        2 => &["SUSPENDED"],
        3 => &["COMPLETED", "REOPENED"],
        4 => &["CANCELED", "SUSPENDED"],
        5 if dice.roll(2) == 0 => &["DELETED"],
        _ => &[],
    };
    for step in steps {
        task(&team.ben, step, key, json!({})).await.expect(200);
    }
}

/// One condition of a search, as the naive one understands it.
enum Condition {
    Is(&'static str, String),
    Status(Vec<&'static str>),
    AssignedTo(Vec<String>),
    Says(Pattern),
    Code(Pattern),
    NotBefore(&'static str, String),
    NotAfter(&'static str, String),
    LinkedTo(String, String),
    Values { all: bool, filters: Vec<(&'static str, Value)> },
}

struct Search {
    query: Vec<(&'static str, String)>,
    conditions: Vec<Condition>,
}

impl Search {
    fn draw(dice: &mut Dice, world: &World) -> Self {
        let mut search = Self { query: Vec::new(), conditions: Vec::new() };
        let mut kinds: Vec<usize> = (0..12).collect();
        for _ in 0..1 + dice.roll(4) {
            let kind = kinds.swap_remove(dice.roll(kinds.len()));
            search.add(dice, world, kind);
        }
        search
    }

    fn add(&mut self, dice: &mut Dice, world: &World, kind: usize) {
        match kind {
            0 => {
                let sought = *dice.pick(&["pump", "THE", "ärger", "e", "%_", "_", "pump the"]);
                self.with("search", sought.to_owned(), Condition::Says(Pattern::substring(sought)));
            }
            1 => {
                let code = *dice.pick(&["a", "ab*", "*1", "?-1", "Ä", "a*b", "\\*", "AB-"]);
                self.with("code", code.to_owned(), Condition::Code(Pattern::wildcard(code)));
            }
            2 => {
                let kind = dice.pick(&world.types).clone();
                self.with("task_type_key", kind.clone(), Condition::Is("task_type_key", kind));
            }
            3 => self.flags(dice),
            4 => {
                let owner = dice.pick(&world.people).clone();
                self.with("owner_key", owner.clone(), Condition::Is("owner_key", owner));
            }
            5 => {
                let users: Vec<String> = (0..1 + dice.roll(2)).map(|_| dice.pick(&world.people).clone()).collect();
                self.query.extend(users.iter().map(|user| ("assigned_to", user.clone())));
                self.conditions.push(Condition::AssignedTo(users));
            }
            6 => self.values(dice),
            7 => {
                let (name, record) = dice.pick(&world.records).clone();
                let kind = name.trim_start_matches("linked_").trim_end_matches("_key").to_owned();
                self.with(name, record.clone(), Condition::LinkedTo(kind, record));
            }
            bound => self.bounds(dice, world, BOUNDS[bound - 8]),
        }
    }

    fn with(&mut self, name: &'static str, value: String, condition: Condition) {
        self.query.push((name, value));
        self.conditions.push(condition);
    }

    /// Some flags; the naive search follows the words of the contract.
    fn flags(&mut self, dice: &mut Dice) {
        let flags: Vec<Option<bool>> = (0..4).map(|_| *dice.pick(&[None, Some(true), Some(false)])).collect();
        let chosen = flags.contains(&Some(true));
        let mut statuses = Vec::new();
        for ((name, status), flag) in FLAGS.into_iter().zip(flags) {
            self.query.extend(flag.map(|flag| (name, flag.to_string())));
            if flag == Some(true) || (!chosen && flag.is_none()) {
                statuses.push(status);
            }
        }
        self.conditions.push(Condition::Status(statuses));
    }

    /// One bound or both, a whole day or a moment that some task has.
    fn bounds(
        &mut self,
        dice: &mut Dice,
        world: &World,
        (member, least, most): (&'static str, &'static str, &'static str),
    ) {
        let moments: Vec<&str> = world.tasks.iter().filter_map(|task| task[member].as_str()).collect();
        let which = dice.roll(3);
        for (wanted, name) in [(which != 1, least), (which != 0, most)] {
            if !wanted {
                continue;
            }
            let bound = match dice.roll(2) {
                0 if !moments.is_empty() => (*dice.pick(&moments)).to_owned(),
                _ => (*dice.pick(&DAYS)).to_owned(),
            };
            let condition = if name == least { Condition::NotBefore } else { Condition::NotAfter };
            let condition = condition(member, bound.clone());
            self.with(name, bound, condition);
        }
    }

    fn values(&mut self, dice: &mut Dice) {
        let wanted: Vec<(&'static str, Value)> = (0..1 + dice.roll(3))
            .map(|_| match dice.roll(7) {
                0 => ("note", json!(dice.pick(&["RED", "dark", "e"]))),
                1 => ("weight", json!(dice.roll(7) as i64 - 3)),
                2 => ("weight", json!({ "min": dice.roll(4) as i64 - 3, "max": dice.roll(4) })),
                3 => ("grade", json!(dice.pick(&["first", "S"]))),
                4 => ("grade", json!({ "_key": dice.pick(&["g1", "g2"]) })),
                5 => ("ticked", json!(dice.roll(2) == 0)),
                _ => ("day", json!({ "from": format!("2026-01-0{}", 1 + dice.roll(5)) })),
            })
            .collect();
        let all = dice.roll(2) == 0;
        let [plain, encoded] = filters(if all { "AND" } else { "OR" }, &wanted);
        let sent = if dice.roll(2) == 0 { plain } else { encoded };
        self.with("advanced_filters", sent, Condition::Values { all, filters: wanted });
    }

    fn finds(&self, task: &Value) -> bool {
        self.conditions.iter().all(|condition| condition.holds(task))
    }
}

impl Condition {
    fn holds(&self, task: &Value) -> bool {
        let member = |name: &str| task[name].as_str();
        match self {
            Self::Is(name, value) => member(name) == Some(value.as_str()),
            Self::Status(statuses) => statuses.contains(&member("status").unwrap()),
            Self::AssignedTo(users) => {
                let assigned = task["assigned_to"].as_array().unwrap();
                assigned.iter().any(|assignee| users.iter().any(|user| assignee["user_key"] == *user))
            }
            Self::Says(pattern) => ["title", "description"]
                .iter()
                .any(|name| member(name).is_some_and(|text| pattern.matches(&fold(text)))),
            Self::Code(pattern) => pattern.matches(&fold(member("code").unwrap())),
            // A day begins with its first moment and ends with its last.
            Self::NotBefore(name, bound) => member(name).is_some_and(|time| time >= bound.as_str()),
            Self::NotAfter(name, bound) => {
                member(name).is_some_and(|time| &time[..bound.len().min(time.len())] <= bound.as_str())
            }
            Self::LinkedTo(kind, record) => {
                let links = task["links"].as_array().unwrap();
                links.iter().any(|link| link["type"] == *kind && link["key"] == *record)
            }
            Self::Values { all: true, filters } => filters.iter().all(|filter| has_value(task, filter)),
            Self::Values { all: false, filters } => filters.iter().any(|filter| has_value(task, filter)),
        }
    }
}

/// Whether a task has a value as a filter asks for it.
fn has_value(task: &Value, (key, wanted): &(&'static str, Value)) -> bool {
    let fields = task["form_fields"].as_array().unwrap().iter();
    fields.filter(|field| field["custom_field_key"] == *key).map(|field| &field["value"]).any(|value| {
        let contains = |value: &str| fold(value).contains(&fold(wanted.as_str().unwrap()));
        match *key {
            "note" => value.as_str().is_some_and(contains),
            "grade" if wanted.is_object() => value["_key"] == wanted["_key"],
            "grade" => value["value"].as_str().is_some_and(contains),
            "weight" if wanted.is_object() => {
                let (least, most) = (wanted["min"].as_f64().unwrap(), wanted["max"].as_f64().unwrap());
                value.as_f64().is_some_and(|value| least <= value && value <= most)
            }
            "weight" => value.as_f64() == wanted.as_f64(),
            "day" => value.as_str().is_some_and(|value| value >= wanted["from"].as_str().unwrap()),
            _ => value == wanted,
        }
    })
}
