domain::named! {
    /// The event types that clients send. The service makes some of them as well.
    pub enum ClientEvent {
        JobStarted = "JOB_STARTED",
        JobResumed = "JOB_RESUMED",
        JobPaused = "JOB_PAUSED",
        JobPauseForced = "JOB_PAUSE_FORCED",
        JobPausedOffline = "JOB_PAUSED_OFFLINE",
        JobBackOnline = "JOB_BACK_ONLINE",
        JobClosed = "JOB_CLOSED",
        ActiveBatchChanged = "ACTIVE_BATCH_CHANGED",
        BatchCompleted = "BATCH_COMPLETED",
        StepCompleted = "STEP_COMPLETED",
        StepEdited = "STEP_EDITED",
        WorkOrderUpdated = "WORK_ORDER_UPDATED",
        BatchCanceled = "BATCH_CANCELED",
        JobReset = "JOB_RESET",
        ProgressOverride = "PROGRESS_OVERRIDE_REQUESTED",
        TimeOverride = "TIME_OVERRIDE_REQUESTED",
        ExtraUpdate = "EXTRA_UPDATE_REQUESTED",
        SerialCreated = "SERIAL_CREATED",
        SerialUpdated = "SERIAL_UPDATED",
        SerialReleased = "SERIAL_RELEASED",
        SerialLinked = "SERIAL_LINKED",
        SerialUnlinked = "SERIAL_UNLINKED",
        SerialDeleted = "SERIAL_DELETED",
        SerialScrapped = "SERIAL_SCRAPPED",
        MovementPlanned = "MOVEMENT_PLANNED",
        MovementUpdated = "MOVEMENT_UPDATED",
        MovementCompleted = "MOVEMENT_COMPLETED",
        MovementReversed = "MOVEMENT_REVERSED",
        WarehouseListCreated = "WAREHOUSE_LIST_CREATED",
        WarehouseListClosed = "WAREHOUSE_LIST_CLOSED",
    }
}

domain::named! {
    /// The event types that only the service makes.
    pub enum ServerEvent {
        BatchCreated = "BATCH_CREATED",
        BatchReleased = "BATCH_RELEASED",
        WipDeclared = "WIP_DECLARED",
        WipBooked = "WIP_BOOKED",
        WipUnbooked = "WIP_UNBOOKED",
        WipRemoved = "WIP_REMOVED",
        WorkSessionCreated = "WORK_SESSION_CREATED",
        WorkSessionClosed = "WORK_SESSION_CLOSED",
        WorkSessionCanceled = "WORK_SESSION_CANCELED",
        QueueUpdated = "QUEUE_UPDATED",
        WorkOrderCreated = "WORK_ORDER_CREATED",
        WorkOrderStarted = "WORK_ORDER_STARTED",
        WorkOrderClosed = "WORK_ORDER_CLOSED",
        WorkOrderReopened = "WORK_ORDER_REOPENED",
        WorkOrderDeleted = "WORK_ORDER_DELETED",
        InventoryChanged = "INVENTORY_CHANGED",
    }
}
