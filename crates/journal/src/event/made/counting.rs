//! Payloads about counting.

use domain::counting::ImportMode;
use domain::key::{CountRecordKey, CountSessionKey, MovementListKey, PositionKey, ProductKey};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Made, MadePayload, MadeType};

payloads! {
    /// The payloads of events that the service makes.
    MADE {
        CountImported for
            /// What was counted is taken from a file.
            "COUNT_IMPORTED" when "counts are imported (`POST /inventory/count-record/import`)",
        {
            /// The counting session.
            count_session_key: CountSessionKey,
            /// Which records the file takes the place of.
            import_mode: ImportMode,
            /// The name of the file.
            filename: String,
            /// How many rows it has.
            rows_total: u64,
            /// How many records it makes.
            rows_added: u64,
            /// How many records were discarded.
            rows_discarded: u64,
        }

        CountApplied for
            /// A record of a count is processed: stock is corrected by what follows, as far as it could be.
            "COUNT_APPLIED" when "a counting session is confirmed, for each record that it corrects stock by",
        {
            /// The counting session.
            count_session_key: CountSessionKey,
            /// The record.
            count_record_key: CountRecordKey,
            /// The list of the corrections.
            movement_list_key: Option<MovementListKey>,
        }

        CountSessionApplied for
            /// A counting session is over: its last record is processed, or there was nothing to correct.
            "COUNT_SESSION_APPLIED" when "the last record of a counting session is processed",
        {
            /// The counting session.
            count_session_key: CountSessionKey,
        }
    }
}

payloads! {
    /// The members that the service adds to the payloads of events that are sent.
    ADDED {
        CountsConfirmed for "COUNT_SESSION_CONFIRMED", {
            /// The counting session.
            count_session_key: CountSessionKey,
            /// The list of the movements that correct stock; null if there is nothing to correct.
            adjustment_list_key: Option<MovementListKey>,
            /// How many records were confirmed.
            records_to_process: i64,
        }

        SessionNamed for
            "COUNT_SESSION_STARTED", "COUNT_SESSION_COMPLETED", "COUNT_SESSION_RESUMED", "COUNT_SESSION_CANCELED",
            "ASSIGNMENT_STARTED", "ASSIGNMENT_COMPLETED",
        {
            /// The counting session.
            count_session_key: CountSessionKey,
        }

        CountBegun for "COUNT_STARTED", {
            /// The record of the count.
            count_record_key: CountRecordKey,
            /// The counting session.
            count_session_key: CountSessionKey,
            /// The product.
            product_key: ProductKey,
            /// The position.
            position_key: PositionKey,
        }

        CountEnded for "COUNT_COMPLETED", {
            /// The counting session.
            count_session_key: CountSessionKey,
            /// The product.
            product_key: ProductKey,
            /// The position.
            position_key: PositionKey,
            /// The positions that the session is done with from now on.
            completed_position_keys: Vec<PositionKey>,
        }

        CountGivenUp for "COUNT_CANCELED", {
            /// The counting session.
            count_session_key: CountSessionKey,
            /// The product.
            product_key: ProductKey,
            /// The position.
            position_key: PositionKey,
        }

        CountRejected for "COUNT_DISCARDED", {
            /// The counting session.
            count_session_key: CountSessionKey,
            /// The product.
            product_key: ProductKey,
            /// The position.
            position_key: PositionKey,
            /// The positions that the session is no longer done with.
            withdrawn_position_keys: Vec<PositionKey>,
        }

        EmptyCounted for "POSITION_CONFIRMED_EMPTY", {
            /// The counting session.
            count_session_key: CountSessionKey,
            /// The records of what should have been there.
            count_record_keys: Vec<CountRecordKey>,
            /// The positions that the session is done with from now on.
            completed_position_keys: Vec<PositionKey>,
        }
    }
}
