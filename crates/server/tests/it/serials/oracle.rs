//! `GET /serial` by random filters, against a search that looks at every unit.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::search::Pattern;
use domain::text::{compare, fold};

use super::*;
use crate::production::random::Dice;

const SEED: u64 = 0x5e21a1;
const UNITS: usize = 60;
const SEARCHES: usize = 150;

on_both_engines! {
    async fn random_searches_find_what_looking_at_every_unit_finds(site) {
        let plant = plant(site).await;
        let mut dice = Dice(SEED);
        let world = World::make(site, &plant, &mut dice).await;
        let mut hits = 0;
        for number in 0..SEARCHES {
            let search = Search::draw(&mut dice, &world);
            let query: Vec<(&str, &str)> = search.query.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let mut whole = query.clone();
            whole.push(("limit", "10000"));
            let rows = plant.ask("/serial", &whole).await.expect(200).body;
            let rows = rows.as_array().unwrap();
            let keys = |rows: &[Value]| rows.iter().map(|row| text(&row["_key"])).collect::<Vec<_>>();
            let mut expected: Vec<String> = world.rows.iter().filter(|row| search.finds(&world, row)).map(|row| text(&row["_key"])).collect();
            let mut answered = keys(rows);
            expected.sort_unstable();
            answered.sort_unstable();
            assert_eq!(answered, expected, "{number}: {query:?}");
            assert!(search.is_in_order(rows), "{number}: {query:?}");
            hits += rows.len();
            if number % 5 == 0 {
                let mut paged = Vec::new();
                for offset in (0..=rows.len()).step_by(4) {
                    let mut page = query.clone();
                    let offset = offset.to_string();
                    page.extend([("limit", "4"), ("offset", offset.as_str())]);
                    paged.extend(keys(plant.ask("/serial", &page).await.expect(200).body.as_array().unwrap()));
                }
                assert_eq!(paged, keys(rows), "{number}: pages neither overlap nor skip: {query:?}");
            }
        }
        assert!(hits > SEARCHES, "most of the searches find something");
    }
}

/// All units there are, and which contains which.
struct World {
    rows: Vec<Value>,
    parents: BTreeMap<String, String>,
    orders: Vec<Order>,
    people: Vec<String>,
}

impl World {
    async fn make(site: &Site, plant: &Plant, dice: &mut Dice) -> Self {
        plant.fields().await;
        plant.products(&["pump-1", "PUMP-2"]).await;
        let orders = vec![plant.order("W-1", Some("Alpha"), &[]).await, plant.order("W-2", None, &[]).await];
        let people = [&plant.admin, &plant.operator, &plant.shop.o2];
        let mut keys = Vec::new();
        for number in 0..UNITS {
            site.clock.advance_seconds(dice.roll(100) as i64);
            let members = Self::new_unit(dice, &orders, number);
            let made = create(dice.pick::<&Person>(&people), members).await.detail();
            keys.push(text(&made["serial_key"]));
        }
        let parents = Self::live(site, plant, dice, &keys).await;
        let rows = plant.get("/serial?include_deleted=true&limit=10000").await;
        let rows = rows.as_array().unwrap().clone();
        assert_eq!(rows.len(), UNITS);
        Self { rows, parents, orders, people: people.map(|who| who.key.clone()).to_vec() }
    }

    fn new_unit(dice: &mut Dice, orders: &[Order], number: usize) -> Value {
        let mut members = match dice.roll(4) {
            0 => json!({ "product_key": "pump-1" }),
            1 => json!({ "product_key": "PUMP-2" }),
            2 => json!({ "product_key": "W-1", "wo_key": orders[0].key }),
            _ => json!({ "product_key": "W-2", "wo_key": orders[1].key }),
        };
        let unreleased = dice.roll(3) == 0;
        if unreleased {
            members["released"] = Value::Null;
        }
        if !unreleased || dice.roll(3) > 0 {
            members["code"] = json!(format!("{}-{number}", dice.pick(&["AB", "CA", "Ä", "AAB"])));
        }
        members["data"] = Self::new_values(dice);
        members
    }

    fn new_values(dice: &mut Dice) -> Value {
        let mut data = vec![
            json!({ "custom_field_key": "colour", "value": dice.pick(&["Red", "dark red", "Blue"]) }),
            json!({ "custom_field_key": "weight", "value": dice.roll(7) as i64 - 3 }),
            json!({ "custom_field_key": "grade", "value": dice.pick(&["g1", "g2"]) }),
            json!({ "custom_field_key": "passed", "value": dice.roll(2) == 0 }),
            json!({ "custom_field_key": "made", "value": format!("2026-01-0{}", 1 + dice.roll(5)) }),
        ];
        data.retain(|_| dice.roll(4) > 0);
        Value::Array(data)
    }

    /// Links, ends, scraps and deletes units as it comes; gives the parents of those that are built in at the end.
    async fn live(site: &Site, plant: &Plant, dice: &mut Dice, keys: &[String]) -> BTreeMap<String, String> {
        let mut parents: BTreeMap<String, String> = BTreeMap::new();
        for _ in 0..3 * keys.len() {
            site.clock.advance_seconds(1);
            let (one, other) = (dice.pick(keys), dice.pick(keys));
            let answer = match dice.roll(10) {
                0 => event(&plant.admin, "SERIAL_SCRAPPED", json!({ "serial_key": one, "reason": "luck" })).await,
                1 => {
                    let deleted = event(&plant.admin, "SERIAL_DELETED", json!({ "serial_key": one })).await;
                    if deleted.status == 200 {
                        parents.retain(|_, parent| *parent != *one);
                    }
                    deleted
                }
                2 if parents.contains_key(one) => {
                    let parent = parents.remove(one).unwrap();
                    unlink(&plant.admin, one, &parent, json!({})).await.expect(200)
                }
                _ => {
                    let linked = plant.link(one, other).await;
                    if linked.status == 200 {
                        parents.insert(one.clone(), other.clone());
                    }
                    linked
                }
            };
            assert!([200, 422].contains(&answer.status), "{}", answer.text);
        }
        assert!(parents.len() > keys.len() / 8, "enough is built in");
        parents
    }

    fn code<'a>(&'a self, key: &str) -> Option<&'a str> {
        self.rows.iter().find(|row| row["_key"] == key).and_then(|row| row["code"].as_str())
    }

    /// The codes of all units that contain this one.
    fn above(&self, key: &str) -> Vec<&str> {
        let mut codes = Vec::new();
        let mut next = self.parents.get(key);
        while let Some(parent) = next {
            codes.extend(self.code(parent));
            next = self.parents.get(parent);
        }
        codes
    }

    /// The codes of all units in this one.
    fn below(&self, key: &str) -> Vec<&str> {
        let children = self.parents.iter().filter(|(_, parent)| *parent == key);
        children.flat_map(|(child, _)| self.code(child).into_iter().chain(self.below(child))).collect()
    }

    /// Some value of a member that units have.
    fn some<'a>(&'a self, dice: &mut Dice, member: &str) -> &'a str {
        let values: Vec<&str> = self.rows.iter().filter_map(|row| row[member].as_str()).collect();
        values[dice.roll(values.len())]
    }
}

/// One condition of a search, as the naive one understands it.
enum Condition {
    Any(&'static str, Vec<String>),
    Matches(&'static str, Pattern),
    ProductMatches(Pattern),
    Above(Pattern),
    Below(Pattern),
    NotBefore(&'static str, String),
    NotAfter(&'static str, String),
    Released,
    Values { all: bool, filters: Vec<(&'static str, Value)> },
}

struct Search {
    query: Vec<(&'static str, String)>,
    conditions: Vec<Condition>,
    deleted_too: bool,
    sort_by: &'static str,
    descending: bool,
}

impl Search {
    fn draw(dice: &mut Dice, world: &World) -> Self {
        let sort_by = *dice.pick(&["created", "released", "code", "product_code", "wo_code", "project_code"]);
        let (deleted_too, descending) = (dice.roll(2) == 0, dice.roll(2) == 0);
        let mut search = Self { query: Vec::new(), conditions: Vec::new(), deleted_too, sort_by, descending };
        let order = if descending { "desc" } else { "asc" };
        search.query.extend([("sort_by", sort_by.to_owned()), ("sorting_order", order.to_owned())]);
        if deleted_too {
            search.query.push(("include_deleted", "true".to_owned()));
        }
        let mut kinds: Vec<usize> = (0..14).collect();
        for _ in 0..dice.roll(4) {
            let kind = kinds.swap_remove(dice.roll(kinds.len()));
            search.add(dice, world, kind);
        }
        search
    }

    fn add(&mut self, dice: &mut Dice, world: &World, kind: usize) {
        match kind {
            0 => self.any(dice, "product_key", "product_key", &["pump-1", "PUMP-2", "W-1", "nobody"]),
            1 => self.any(dice, "state", "state", &["deleted", "scrapped", "used", "released", "wip", "uncoded"]),
            2 => {
                let people: Vec<&str> = world.people.iter().map(String::as_str).collect();
                self.any(dice, "created_by", "created_by", &people);
            }
            3 => {
                let orders: Vec<&str> = world.orders.iter().map(|order| order.key.as_str()).collect();
                self.any(dice, "wo_key", "wo_key", &orders);
            }
            4 => {
                let keys: Vec<&str> = world.rows.iter().filter_map(|row| row["_key"].as_str()).collect();
                self.any(dice, "serial_key", "_key", &keys);
            }
            5 => {
                let code = world.some(dice, "code");
                self.wildcard(dice, "serial_search", code, |pattern| Condition::Matches("code", pattern));
            }
            6 => self.wildcard(dice, "product_code_search", "PUMP-1", Condition::ProductMatches),
            7 => self.wildcard(dice, "work_order_search", "W-1", |pattern| Condition::Matches("wo_code", pattern)),
            8 => self.wildcard(dice, "project_search", "Alpha", |pattern| Condition::Matches("project_code", pattern)),
            9 => {
                let code = world.some(dice, "code");
                self.wildcard(dice, "is_contained_in", code, Condition::Above);
            }
            10 => {
                let code = world.some(dice, "code");
                self.wildcard(dice, "contains", code, Condition::Below);
            }
            11 => {
                let (member, from, to) = *dice.pick(&[
                    ("created", "time_created_from", "time_created_to"),
                    ("released", "time_released_from", "time_released_to"),
                ]);
                let time = world.some(dice, member).to_owned();
                match dice.roll(2) {
                    0 => self.with(from, time.clone(), Condition::NotBefore(member, time)),
                    _ => self.with(to, time.clone(), Condition::NotAfter(member, time)),
                }
            }
            12 => self.with("filter_unreleased", "true".to_owned(), Condition::Released),
            _ => self.values(dice),
        }
    }

    fn with(&mut self, name: &'static str, value: String, condition: Condition) {
        self.query.push((name, value));
        self.conditions.push(condition);
    }

    fn any(&mut self, dice: &mut Dice, name: &'static str, member: &'static str, from: &[&str]) {
        let values: Vec<String> = (0..1 + dice.roll(3)).map(|_| (*dice.pick(from)).to_owned()).collect();
        self.query.extend(values.iter().map(|value| (name, value.clone())));
        self.conditions.push(Condition::Any(member, values));
    }

    /// A pattern for part of a text.
    fn wildcard(&mut self, dice: &mut Dice, name: &'static str, of: &str, condition: impl Fn(Pattern) -> Condition) {
        let letters: Vec<char> = of.chars().collect();
        let from = dice.roll(letters.len());
        let to = from + 1 + dice.roll(letters.len() - from);
        let mut pattern: Vec<String> =
            letters[from..to].iter().map(|letter| letter.to_lowercase().to_string()).collect();
        if pattern.len() > 1 && dice.roll(3) == 0 {
            let place = dice.roll(pattern.len());
            pattern[place] = dice.pick(&["?", "*"]).to_string();
        }
        let pattern = pattern.concat();
        let pattern = match dice.roll(3) {
            0 => format!("*{pattern}"),
            1 => format!("{pattern}*"),
            _ => pattern,
        };
        self.with(name, pattern.clone(), condition(Pattern::wildcard(&pattern)));
    }

    fn values(&mut self, dice: &mut Dice) {
        let filters: Vec<(&'static str, Value)> = (0..1 + dice.roll(3))
            .map(|_| match dice.roll(6) {
                0 => ("colour", json!(dice.pick(&["RED", "dark", "e"]))),
                1 => ("weight", json!(dice.roll(7) as i64 - 3)),
                2 => ("weight", json!({ "min": dice.roll(4) as i64 - 3, "max": dice.roll(4) })),
                3 => ("grade", json!(dice.pick(&["first", "S"]))),
                4 => ("passed", json!(dice.roll(2) == 0)),
                _ => ("made", json!({ "from": format!("2026-01-0{}", 1 + dice.roll(5)) })),
            })
            .collect();
        let all = dice.roll(2) == 0;
        let sent: Vec<Value> = filters.iter().map(|(key, value)| json!({ "_key": key, "value": value })).collect();
        let plain = json!({ "operator": if all { "AND" } else { "OR" }, "filters": sent }).to_string();
        let sent = if dice.roll(2) == 0 { plain } else { STANDARD.encode(plain) };
        self.with("advanced_filters", sent, Condition::Values { all, filters });
    }

    fn finds(&self, world: &World, row: &Value) -> bool {
        let asked_for_deleted = self.conditions.iter().any(
            |condition| matches!(condition, Condition::Any("state", states) if states.iter().any(|state| state == "deleted")),
        );
        let shown = row["deleted"].is_null() || self.deleted_too || asked_for_deleted;
        shown && self.conditions.iter().all(|condition| condition.holds(world, row))
    }

    /// What a row is sorted by.
    fn sorted_by<'a>(&self, row: &'a Value) -> Option<&'a str> {
        match self.sort_by {
            "product_code" => row["product"]["code"].as_str(),
            member => row[member].as_str(),
        }
    }

    fn is_in_order(&self, rows: &[Value]) -> bool {
        rows.windows(2).all(|pair| match (self.sorted_by(&pair[0]), self.sorted_by(&pair[1])) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(first), Some(second)) => {
                let wrong = if self.descending { Ordering::Less } else { Ordering::Greater };
                compare(first, second) != wrong
            }
        })
    }
}

impl Condition {
    fn holds(&self, world: &World, row: &Value) -> bool {
        let member = |name: &str| row[name].as_str();
        let matches = |pattern: &Pattern, found: &str| pattern.matches(&fold(found));
        let key = || member("_key").unwrap();
        match self {
            Condition::Any(name, values) => member(name).is_some_and(|value| values.iter().any(|one| one == value)),
            Condition::Matches(name, pattern) => member(name).is_some_and(|value| matches(pattern, value)),
            Condition::ProductMatches(pattern) => matches(pattern, row["product"]["code"].as_str().unwrap()),
            Condition::Above(pattern) => world.above(key()).iter().any(|code| matches(pattern, code)),
            Condition::Below(pattern) => world.below(key()).iter().any(|code| matches(pattern, code)),
            Condition::NotBefore(name, time) => member(name).is_some_and(|value| value >= time.as_str()),
            Condition::NotAfter(name, time) => member(name).is_some_and(|value| value <= time.as_str()),
            Condition::Released => member("released").is_some(),
            Condition::Values { all: true, filters } => filters.iter().all(|filter| has_value(row, filter)),
            Condition::Values { all: false, filters } => filters.iter().any(|filter| has_value(row, filter)),
        }
    }
}

/// Whether a unit has a value as a filter asks for it.
fn has_value(row: &Value, (key, wanted): &(&'static str, Value)) -> bool {
    let data = row["data"].as_array().unwrap().iter();
    data.filter(|entry| entry["custom_field_key"] == *key).map(|entry| &entry["value"]).any(|value| {
        let contains = |value: &str| fold(value).contains(&fold(wanted.as_str().unwrap()));
        match *key {
            "colour" => value.as_str().is_some_and(contains),
            "grade" => value["value"].as_str().is_some_and(contains),
            "weight" => match (wanted["min"].as_f64(), wanted["max"].as_f64()) {
                (Some(least), Some(most)) => value.as_f64().is_some_and(|value| least <= value && value <= most),
                _ => value.as_f64() == wanted.as_f64(),
            },
            "made" => value.as_str().is_some_and(|value| value >= wanted["from"].as_str().unwrap()),
            _ => value == wanted,
        }
    })
}
