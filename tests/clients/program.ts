// An integration written with a client that @hey-api/openapi-ts made: from signing in to following the journal.
//
// scripts/check-clients makes the client, starts an empty service, and runs this with its address and the password of `admin`.

import assert from 'node:assert/strict';
import { client } from '../../target/clients/typescript/client.gen.js';
import {
  createOperation,
  createProduct,
  createWorkOrder,
  downloadFile,
  exportProducts,
  getBom,
  importProducts,
  type Job,
  listEvents,
  type PostEventErrors,
  postEvent,
  type RuleError,
  replaceBom,
  replaceProcess,
  type SentEvent,
  signIn,
  uploadFiles,
} from '../../target/clients/typescript/index.js';

// A refusal is thrown, so `data` is what the operation answers when it is done.
const throwOnError = true;

async function main(base: string, password: string): Promise<void> {
  client.setConfig({ baseUrl: `${base}/api` });
  await authenticate(password);
  const pumpKey = await createPump();
  const job = await order(pumpKey);
  await produce(job);
  await follow(job);
  await upload(base, pumpKey);
  await importAndExport();
}

async function authenticate(password: string): Promise<void> {
  const { data } = await signIn({ body: { username: 'admin', password }, throwOnError });
  // The import would otherwise answer with a sheet.
  client.setConfig({ auth: data.access_token, headers: { Accept: 'application/json' } });
}

/** A pump that takes 0.3 m of cable and is assembled in batches of two. */
async function createPump(): Promise<string> {
  const pump = await createProduct({ body: { code: 'PUMP' }, throwOnError });
  const cable = await createProduct({ body: { code: 'CABLE' }, throwOnError });
  const assembly = await createOperation({ body: { name: 'Assembly' }, throwOnError });
  const pumpKey = pump.data.detail._key;
  const phase = {
    alias: 'Assembly',
    operation_key: assembly.data.detail._key,
    params: { production_batch_qt: 2, auto_new_batch: true },
  };
  await replaceProcess({ path: { product_key: pumpKey }, body: [phase], throwOnError });

  // A quantity is an exact decimal: as text it arrives as it is, and what binary floats add is taken off.
  assert.notEqual(0.1 + 0.2, 0.3);
  for (const qt of ['0.3', 0.1 + 0.2]) {
    const path = { product_key_or_code: pumpKey };
    await replaceBom({ path, body: [{ component_key: cable.data.detail._key, qt }], throwOnError });
    const { data: lines } = await getBom({ path, throwOnError });
    assert.deepEqual(
      lines.map((line) => line.qt),
      [0.3],
    );
  }
  return pumpKey;
}

async function order(pumpKey: string): Promise<Job> {
  const { data } = await createWorkOrder({ body: { product_key: pumpKey, qt_planned: 3 }, throwOnError });
  const [job] = data.detail.jobs;
  assert(job);
  return job;
}

async function produce(job: Job): Promise<void> {
  const started = await postEvent({ body: { event_type: 'JOB_STARTED', job_key: job._key }, throwOnError });
  const first = started.data.detail.batch_data;
  assert(first);
  assert.equal(first.qt_total, 2);

  // The batch has two pumps, so that one is refused. `error_type` says by which rule.
  const rule = await refusal({ event_type: 'BATCH_COMPLETED', active_batch_key: first._key, completed_batch_qt: 1 });
  assert(rule.error_type === 'QuantityMismatchError');
  assert.deepEqual([rule.expected, rule.given], [2, 1]);

  // With a key of its own an event can be sent again after a lost answer, and is stored once.
  const whole: SentEvent = { event_type: 'BATCH_COMPLETED', active_batch_key: first._key, completed_batch_qt: 2 };
  const headers = { 'Idempotency-Key': 'first-batch' };
  const completed = await postEvent({ body: whole, headers, throwOnError });
  const repeated = await postEvent({ body: whole, headers, throwOnError });
  assert.equal(completed.response.headers.get('Idempotency-Replayed'), null);
  assert.equal(repeated.response.headers.get('Idempotency-Replayed'), 'true');
  assert.equal(repeated.data.detail.event_key, completed.data.detail.event_key);

  // The answer has the records as they are now, among them the next batch.
  const { job_data: progress, batch_data: second } = completed.data.detail;
  assert(progress && second);
  assert.equal(progress.qt_completed, 2);
  const rest: SentEvent = {
    event_type: 'BATCH_COMPLETED',
    active_batch_key: second._key,
    completed_batch_qt: second.qt_total,
  };
  const last = await postEvent({ body: rest, throwOnError });
  assert.equal(last.data.detail.job_data?.stage, 'closed');
  assert.equal(last.data.detail.batch_data, null);
}

/** Why a rule refuses the event. */
async function refusal(body: SentEvent): Promise<RuleError> {
  const { error, response } = await postEvent({ body });
  assert.equal(response?.status, 422);
  const { detail } = error as PostEventErrors[422];
  assert('error_type' in detail);
  return detail;
}

/** Reads the journal page by page, as a program does that remembers the last `seq` it has seen. */
async function follow(job: Job): Promise<void> {
  const completed: number[] = [];
  let seen = 0;
  for (;;) {
    const query = { after_seq: seen, sort_by: 'seq', sorting_order: 'asc', limit: 5 } as const;
    const { data: page } = await listEvents({ query, throwOnError });
    if (page.length === 0) break;
    for (const event of page) {
      seen = event.seq;
      if (event.event_type === 'BATCH_COMPLETED') {
        assert.equal(event.job_key, job._key);
        completed.push(Number(event.payload.completed_batch_qt));
      }
    }
  }
  assert.deepEqual(completed, [2, 1]);
}

async function upload(base: string, pumpKey: string): Promise<void> {
  const manual = new File(['Mount the pump upright.\n'], 'manual.txt', { type: 'text/plain' });
  const { data } = await uploadFiles({ body: { bucket: 'product', object_key: pumpKey, contents: [manual] }, throwOnError });
  const [stored] = data.detail;
  assert(stored);
  assert.deepEqual([stored.name, stored.size], ['manual.txt', 24]);
  // Files are served beside `/api`; without `parseAs` a text would come as a string.
  const path = { bucket: stored.bucket, object_key: stored.object_key, filename: stored.name };
  const { data: file } = await downloadFile({ baseUrl: base, path, parseAs: 'blob', throwOnError });
  assert.equal(await file.text(), 'Mount the pump upright.\n');
}

/** A table is tried first: either it has faults, or it has a key under which it can be executed. */
async function importAndExport(): Promise<void> {
  const faulty = await importProducts({ body: { file: table('code,active\nVALVE,perhaps\n,true\n') }, throwOnError });
  assert(faulty.data.status === 'error');
  assert.deepEqual(
    faulty.data.errors.map((fault) => [fault.row, fault.column]),
    [
      [2, 'active'],
      [3, 'code'],
    ],
  );

  const good = await importProducts({ body: { file: table('code,active\nVALVE,true\nPUMP,\n') }, throwOnError });
  assert(good.data.status === 'valid');
  assert.deepEqual([good.data.rows_created, good.data.rows_updated, good.data.rows_skipped], [1, 0, 1]);
  const executed = await importProducts({ body: { dry_run: false, file_key: good.data.file_key }, throwOnError });
  assert('detail' in executed.data);
  assert.equal(executed.data.detail.rows_created, 1);

  const { data: exported } = await exportProducts({ throwOnError });
  const codes = exported.trim().split(/\r?\n/).map((line) => line.split(',')[0]);
  assert.deepEqual(codes, ['code', 'CABLE', 'PUMP', 'VALVE']);
}

function table(text: string): File {
  return new File([text], 'products.csv', { type: 'text/csv' });
}

const [base = '', password = ''] = process.argv.slice(2);
await main(base, password);
