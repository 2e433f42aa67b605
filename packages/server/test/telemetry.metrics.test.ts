// The metrics of the real server: what they count, what they read from elsewhere, and what happens when they can't.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { openBlobStore } from '../src/kernel/blobs/open.ts';
import { changed, transact } from '../src/kernel/database/db.ts';
import { addJob } from '../src/kernel/jobs/jobs.ts';
import { backUp } from '../src/operate/backups/backup.ts';
import { sendEmailJob } from '../src/people/emails/emails.ts';
import { makeSender, onlyReportOf, report, reportWithDump } from './setup/crashes.ts';
import { makeFolder } from './setup/installations.ts';
import { readMetric } from './setup/metrics.ts';
import { outageOf } from './setup/outage.ts';
import { makeGame, startServer, stoppedClock, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { formOf, register, shipAndScan, smallZip, upload, uploadFields } from './setup/uploads.ts';

describe('metrics', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ clock: stoppedClock(), env: { CHAUFFEUR_LIMIT_UPLOADS: '1' } });
  });
  after(() => server.stop());

  const of = (series: string, from = server) => readMetric(from, series);

  async function assertSeries(expected: Record<string, number>): Promise<void> {
    const values = await Promise.all(Object.keys(expected).map(async (series) => [series, await of(series)]));
    assert.deepEqual(Object.fromEntries(values), expected);
  }

  test('start at 0 for outcomes that did not happen yet', async () => {
    await assertSeries({
      'chauffeur_mail_duration_seconds_count{outcome="failed"}': 0,
      chauffeur_scan_retries_total: 0,
      'chauffeur_limit_checks_total{limit="uploads",outcome="refused"}': 0,
    });
  });

  test('follow an upload: limit, completion, scan, blobs, threads and jobs', async () => {
    const game = await makeGame(server);
    await shipAndScan(server, game);
    const zip = smallZip();
    const refused = await upload(server, game, formOf(uploadFields(await register(server, game), zip), zip));
    assert.equal(refused.status, 429);
    await assertSeries({
      'chauffeur_limit_checks_total{limit="uploads",outcome="allowed"}': 1,
      'chauffeur_limit_checks_total{limit="uploads",outcome="refused"}': 1,
      'chauffeur_upload_completion_duration_seconds_count{outcome="stored"}': 1,
      'chauffeur_scan_duration_seconds_count{state="unscanned"}': 1,
      'chauffeur_blob_operation_duration_seconds_count{operation="append",outcome="ok"}': 1,
      chauffeur_uploads_in_progress: 0,
      'chauffeur_jobs_running{lane="long"}': 0,
    });
    assert.ok((await of('chauffeur_thread_tasks_total{thread="scan",outcome="done"}'))! >= 1);
    assert.ok((await of('chauffeur_job_wait_seconds_count{task="scans:scan"}'))! >= 1);
  });

  test('count a zip by the rule that refuses it', async () => {
    const game = await makeGame(server);
    const zip = smallZip('/etc/passwd');
    const refused = await upload(server, game, formOf(uploadFields(await register(server, game), zip), zip));
    assert.equal(refused.body.error?.code, 4041);
    await assertSeries({
      'chauffeur_zip_refusals_total{rule="absolute-path"}': 1,
      'chauffeur_upload_completion_duration_seconds_count{outcome="refused"}': 1,
    });
  });

  test('follow a crash report: batch, limit, walk and group', async () => {
    const sender = await makeSender(server);
    await reportWithDump(sender, Buffer.from('not a dump'));
    await until(async () => (await onlyReportOf(sender)).state === 'failed');
    await until(async () => (await of('chauffeur_crash_walks_total{outcome="unreadable"}')) === 1);
    await assertSeries({
      'chauffeur_crash_reports_total{source="api"}': 1,
      'chauffeur_batch_requests_total{queue="crash_reports"}': 1,
      'chauffeur_batch_waiting{queue="crash_reports"}': 0,
      'chauffeur_limit_checks_total{limit="crash_files",outcome="allowed"}': 1,
      'chauffeur_crash_stage_duration_seconds_count{stage="walk"}': 1,
    });
  });

  test('never contain what a client made up', async () => {
    await fetch(`${server.url}/invented-path`, { method: 'PROPFIND' });
    await report(await makeSender(server), { message: 'invented-message' }, { 'x-build-id': 'invented-build' });
    const text = await server.ctx.metrics.read();
    assert.doesNotMatch(text, /invented|PROPFIND/);
  });

  // Each process reads the state at most every few seconds, so a second one reads what was just changed.
  test('contain the queue, parts, disk, storage and backups', async () => {
    const folder = await makeFolder();
    const target = openBlobStore({ kind: 'files', folder });
    const fresh = await startServer({ shareWith: server, role: 'api' });
    try {
      // In one transaction, before a worker takes the job.
      await transact(server.ctx.db, async (tx) => {
        await addJob(tx, sendEmailJob, { to: 'nobody@example.com', subject: 'late', text: 'late' });
        await changed(
          tx,
          sql`update graphile_worker._private_jobs set attempts = max_attempts
            where id = (select max(id) from graphile_worker._private_jobs)`,
        );
      });
      await backUp(server.ctx, server.app.pool, target, {
        keep: null,
        report: { progress: () => undefined, problem: () => undefined },
      });
      await changed(server.ctx.db, sql`insert into backup_runs (started_at) values (now() - interval '1 day')`);
      assert.equal(await of('chauffeur_part_up{part="database"}', fresh), 1);
      assert.equal(await of('chauffeur_part_up{part="blobs"}', fresh), 1);
      assert.equal(await of('chauffeur_part_up{part="scanner"}', fresh), undefined);
      assert.equal(await of('chauffeur_queue_jobs{task="accounts:send-mail",lane="quick",state="failed"}', fresh), 1);
      assert.ok((await of('chauffeur_stored_bytes{kind="builds"}', fresh))! > 0);
      assert.ok((await of('chauffeur_disk_free_bytes', fresh))! > 0);
      const now = Date.now() / 1000;
      assert.ok(now - (await of('chauffeur_backup_last_success_timestamp_seconds', fresh))! < 60);
      const interrupted = now - (await of('chauffeur_backup_last_failure_timestamp_seconds', fresh))!;
      assert.ok(interrupted > 86_000 && interrupted < 87_000, String(interrupted));
    } finally {
      await fresh.stop();
      await target.close();
      await rm(folder, { recursive: true });
    }
  });

  test('are served by a worker, on a separate port', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    probe.close();
    const worker = await startServer({
      shareWith: server,
      role: 'worker',
      env: { CHAUFFEUR_METRICS_PORT: String(port) },
    });
    try {
      const metrics = await fetch(`http://127.0.0.1:${port}/metrics`);
      assert.match(await metrics.text(), /^chauffeur_job_slots\{lane="quick"\} [1-9]/m);
      assert.equal((await fetch(`http://127.0.0.1:${port}/ready`)).status, 200);
      assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 404);
    } finally {
      await worker.stop();
    }
  });

  test('remain readable while the database is away, without the values from it', async () => {
    const fresh = await startServer({ shareWith: server, role: 'api' });
    const outage = outageOf(server.database);
    await outage.begin();
    try {
      assert.equal(await of('chauffeur_part_up{part="database"}', fresh), 0);
      assert.equal(await of('chauffeur_approvals_pending', fresh), undefined);
      assert.equal(await of('chauffeur_metrics_read_failures_total{reading="work"}', fresh), 1);
      assert.ok((await of('chauffeur_disk_free_bytes', fresh))! > 0);
    } finally {
      await outage.end();
      await fresh.stop();
    }
  });
});
