//! Every type of events belongs to a topic: nobody who follows the journal misses a new one.

use domain::notification::Kind;
use journal::{ClientEvent, ServerEvent};

#[test]
fn every_type_of_events_has_its_topic() {
    let sent = ClientEvent::ALL.iter().map(|event| event.name());
    let made = ServerEvent::ALL.iter().map(|event| event.name());
    let lost: Vec<&str> = sent.chain(made).filter(|name| Kind::of_event(name).is_none()).collect();
    assert!(lost.is_empty(), "no topic for {lost:?}: name their family in domain/src/notification/topic.rs");
}

/// So nobody who follows one topic gets what belongs to another.
#[test]
fn areas_have_their_topics() {
    for (event, kind) in [
        (ClientEvent::JobStarted.name(), Kind::Production),
        (ClientEvent::ActiveBatchChanged.name(), Kind::Production),
        (ClientEvent::ProgressOverride.name(), Kind::Production),
        (ServerEvent::WipDeclared.name(), Kind::Production),
        (ServerEvent::QueueUpdated.name(), Kind::Production),
        (ClientEvent::SerialLinked.name(), Kind::Serial),
        (ClientEvent::WarehouseListCreated.name(), Kind::Inventory),
        (ClientEvent::AssignmentStarted.name(), Kind::Inventory),
        (ClientEvent::PositionConfirmedEmpty.name(), Kind::Inventory),
        (ServerEvent::InventoryChanged.name(), Kind::Inventory),
    ] {
        assert_eq!(Kind::of_event(event), Some(kind), "{event}");
    }
}
