"""An integration written with a client that openapi-python-client made: from signing in to following the journal.

scripts/check-clients makes the client, starts an empty service, and runs this with its address and the password of `admin`.
"""

import io
import sys
from decimal import Decimal
from typing import TypeVar

from tracewright_client import AuthenticatedClient, Client
from tracewright_client.api.attachments import download_file, upload_files
from tracewright_client.api.journal import list_events, post_event
from tracewright_client.api.process import create_operation, replace_process
from tracewright_client.api.product import create_product, export_products, get_bom, import_products, replace_bom
from tracewright_client.api.production import create_work_order
from tracewright_client.api.security import sign_in
from tracewright_client.models import (
    AuthAPIResponse,
    Batch,
    BatchCompletedEvent,
    BatchCompletedStored,
    BomLineWriteIn,
    BomReplacedResponse,
    BulkRejected,
    ErrorDetail,
    EventAcceptedResponse,
    EventSortBy,
    FaultyFile,
    FileBucket,
    FileEntryListResponse,
    HTTPValidationError,
    ImportProduct,
    Job,
    JobStartedEvent,
    NewFiles,
    NewOperation,
    NewWorkOrder,
    OperationResponse,
    PhaseDataInput,
    PhaseParametersInput,
    ProductDetailResponse,
    ProductImportDone,
    ProductImportTried,
    ProductInput,
    QuantityMismatchError,
    SignIn,
    SortingOrder,
    WorkOrderCreatedResponse,
)
from tracewright_client.types import File

T = TypeVar("T")


def main(base: str, password: str) -> None:
    client = signed_in(f"{base}/api", password)
    pump = create_pump(client)
    job = order(client, pump)
    produce(client, job)
    follow(client, job)
    upload(base, client, pump)
    import_and_export(client)


def expect(kind: type[T], answer: object) -> T:
    """The answer, if it is what the program can go on with: a client returns refusals as it returns successes."""
    if not isinstance(answer, kind):
        sys.exit(f"Expected {kind.__name__}, but the answer was {answer}")
    return answer


def signed_in(api: str, password: str) -> AuthenticatedClient:
    answer = sign_in.sync(client=Client(api), body=SignIn(username="admin", password=password))
    token = expect(AuthAPIResponse, answer).access_token
    # The import would otherwise answer with a sheet.
    return AuthenticatedClient(api, token, headers={"Accept": "application/json"}, raise_on_unexpected_status=True)


def create_pump(client: AuthenticatedClient) -> str:
    """A pump that takes 0.3 m of cable and is assembled in batches of two."""
    pump = expect(ProductDetailResponse, create_product.sync(client=client, body=ProductInput(code="PUMP")))
    cable = expect(ProductDetailResponse, create_product.sync(client=client, body=ProductInput(code="CABLE")))
    assembly = expect(OperationResponse, create_operation.sync(client=client, body=NewOperation("Assembly")))
    phase = PhaseDataInput(
        alias="Assembly",
        operation_key=assembly.detail.field_key,
        params=PhaseParametersInput(production_batch_qt=2, auto_new_batch=True),
    )
    pump_key = pump.detail.field_key
    expect(list, replace_process.sync(pump_key, client=client, body=[phase]))
    # A quantity is an exact decimal: as text it arrives as it is.
    line = BomLineWriteIn(component_key=cable.detail.field_key, qt=str(Decimal("0.1") + Decimal("0.2")))
    replaced = expect(BomReplacedResponse, replace_bom.sync(pump_key, client=client, body=[line]))
    assert replaced.detail.line_count == 1
    lines = get_bom.sync(pump_key, client=client)
    assert isinstance(lines, list), lines
    assert [Decimal(str(line.qt)) for line in lines] == [Decimal("0.3")]
    return pump_key


def order(client: AuthenticatedClient, pump_key: str) -> Job:
    answer = create_work_order.sync(client=client, body=NewWorkOrder(product_key=pump_key, qt_planned=3))
    created = expect(WorkOrderCreatedResponse, answer).detail
    assert created.work_order.qt_planned == 3
    (job,) = created.jobs
    return job


def produce(client: AuthenticatedClient, job: Job) -> None:
    started = post_event.sync(client=client, body=JobStartedEvent("JOB_STARTED", job_key=job.field_key))
    first = expect(Batch, expect(EventAcceptedResponse, started).detail.batch_data)
    assert first.qt_total == 2

    # The batch has two pumps, so that one is refused. The class says by which rule, as `error_type` does.
    short = BatchCompletedEvent("BATCH_COMPLETED", active_batch_key=first.field_key, completed_batch_qt=1)
    refused = expect(HTTPValidationError, post_event.sync(client=client, body=short))
    rule = expect(QuantityMismatchError, refused.detail)
    assert (rule.expected, rule.given) == (2, 1)

    # Of a bulk that is refused, every bad row tells its rule.
    nobody = {"entity_key": "nobody", "extra_data": {}}
    bulk = {"shared_data": {"event_type": "EXTRA_UPDATE_REQUESTED", "entity_type": "job"}, "events": [nobody]}
    answer = client.get_httpx_client().post("/event/bulk", json=bulk)
    rejected = expect(BulkRejected, HTTPValidationError.from_dict(answer.json()).detail)
    assert [(row.index, row.error_type) for row in rejected.errors] == [(0, "RecordNotFoundError")]

    # A rule of a version to come is read as well.
    tomorrow = HTTPValidationError.from_dict({"detail": {"error_type": "RuleOfTomorrow", "message": "No.", "limit": 7}})
    later = expect(ErrorDetail, tomorrow.detail)
    assert (later.message, later["error_type"], later["limit"]) == ("No.", "RuleOfTomorrow", 7)

    # With a key of its own an event can be sent again after a lost answer, and is stored once.
    whole = BatchCompletedEvent("BATCH_COMPLETED", active_batch_key=first.field_key, completed_batch_qt=2)
    answers = [post_event.sync_detailed(client=client, body=whole, idempotency_key="first-batch") for _ in range(2)]
    assert "Idempotency-Replayed" not in answers[0].headers
    assert answers[1].headers["Idempotency-Replayed"] == "true"
    completed, repeated = (expect(EventAcceptedResponse, answer.parsed).detail for answer in answers)
    assert completed.event_key == repeated.event_key

    # The answer has the records as they are now, among them the next batch.
    assert expect(Job, completed.job_data).qt_completed == 2
    second = expect(Batch, completed.batch_data)
    rest = BatchCompletedEvent("BATCH_COMPLETED", active_batch_key=second.field_key, completed_batch_qt=second.qt_total)
    last = expect(EventAcceptedResponse, post_event.sync(client=client, body=rest)).detail
    assert expect(Job, last.job_data).stage == "closed"
    assert last.batch_data is None


def follow(client: AuthenticatedClient, job: Job) -> None:
    """Reads the journal page by page, as a program does that remembers the last `seq` it has seen."""
    completed: list[Decimal] = []
    seen = 0
    while True:
        page = list_events.sync(client=client, after_seq=seen, sort_by=EventSortBy.SEQ, sorting_order=SortingOrder.ASC, limit=5)
        assert isinstance(page, list), page
        if not page:
            break
        for event in page:
            seen = event.seq
            if isinstance(event, BatchCompletedStored):
                assert event.job_key == job.field_key
                completed.append(Decimal(str(event.payload.completed_batch_qt)))
    assert completed == [2, 1]


def upload(base: str, client: AuthenticatedClient, pump_key: str) -> None:
    manual = File(io.BytesIO(b"Mount the pump upright.\n"), "manual.txt", "text/plain")
    form = NewFiles(contents=[manual], bucket=FileBucket.PRODUCT, object_key=pump_key)
    (stored,) = expect(FileEntryListResponse, upload_files.sync(client=client, body=form)).detail
    assert (stored.name, stored.size) == ("manual.txt", 24)
    # Files are served beside `/api`.
    files = AuthenticatedClient(base, client.token)
    read = download_file.sync(stored.bucket, stored.object_key, stored.name, client=files)
    assert expect(File, read).payload.read() == b"Mount the pump upright.\n"


def import_and_export(client: AuthenticatedClient) -> None:
    """A table is tried first: either it has faults, or it has a key under which it can be executed."""
    faulty = import_products.sync(client=client, body=ImportProduct(file=table("code,active\nVALVE,perhaps\n,true\n")))
    faults = expect(FaultyFile, faulty).errors
    assert [(fault.row, fault.column) for fault in faults] == [(2, "active"), (3, "code")]

    good = import_products.sync(client=client, body=ImportProduct(file=table("code,active\nVALVE,true\nPUMP,\n")))
    tried = expect(ProductImportTried, good)
    assert (tried.rows_created, tried.rows_updated, tried.rows_skipped) == (1, 0, 1)
    executed = import_products.sync(client=client, body=ImportProduct(dry_run=False, file_key=tried.file_key))
    assert expect(ProductImportDone, executed).detail.rows_created == 1

    exported = expect(str, export_products.sync(client=client))
    codes = [line.split(",")[0] for line in exported.splitlines()]
    assert codes == ["code", "CABLE", "PUMP", "VALVE"]


def table(text: str) -> File:
    return File(io.BytesIO(text.encode()), "products.csv", "text/csv")


if __name__ == "__main__":
    main(*sys.argv[1:])
