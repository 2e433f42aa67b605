// Reads every request that was recorded from a real client, and compares what is in it with what the client had to say.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import {
  inPieces,
  type KeptFile,
  listRequests,
  REQUESTS_MISSING,
  readExpectations,
  readRequest,
  receive,
} from '../test/requests.ts';
import { discardedOf } from './client-report.ts';
import { readCredentials } from './dsn/credentials.ts';
import { eventOfForm } from './envelope/form-parts.ts';
import { headlineOf, kindOfEvent, normalizeEvent } from './event/normalize.ts';
import { sessionOf } from './sessions.ts';

const KEY = '0123456789abcdef0123456789abcdef';

/** What a request has in it, in few words. */
type Summary = {
  readonly events?: readonly string[];
  readonly sessions?: readonly string[];
  readonly files?: readonly string[];
  readonly dropped?: readonly string[];
  readonly discarded?: readonly string[];
};

const SUMMARIES: Readonly<Record<string, Summary>> = {
  '00002-python.req': {
    events: ['error ValueError: cannot load level < FileNotFoundError'],
    files: ['attachment save.json 9'],
  },
  '00003-python.req': { events: ['message hello from python'], files: ['attachment save.json 9'] },
  '00004-python.req': { dropped: ['profile not_used 1', 'transaction not_used 1'] },
  '00005-python.req': { sessions: ['errored ended 1 thegame@1.2.0'] },
  '00008-go.req': {
    events: ['error *fmt.wrapError: load car: file not found < *errors.errorString'],
    files: ['attachment save.json 9'],
  },
  '00011-java.req': { sessions: ['ok 0 thegame@1.2.0'] },
  '00012-java.req': {
    events: ['error IllegalStateException: cannot load level < NullPointerException'],
    sessions: ['errored 1 thegame@1.2.0'],
    files: ['attachment save.json 9'],
  },
  '00013-java.req': { events: ['feedback I turned left 7307b6d84caa4f1f8cffe73320d90201'] },
  '00016-java.req': { sessions: ['errored ended 1 thegame@1.2.0'] },
  '00018-java-crash.req': { sessions: ['ok 0 thegame@1.2.0'] },
  '00023-java-crash.req': {
    events: ['crash RuntimeException: uncaught in thread'],
    sessions: ['crashed ended 2 thegame@1.2.0'],
    files: ['attachment save.json 9'],
  },
  '00026-browser.req': { sessions: ['ok 0 thegame@1.2.0'] },
  '00028-browser.req': {
    events: ['error Error: cannot load level < TypeError'],
    files: ['attachment save.json 9'],
  },
  '00031-browser.req': { events: ['crash RangeError: unhandled one'], files: ['attachment save.json 9'] },
  '00032-browser.req': {
    events: ['feedback I turned left ebeeae738bef4d4d812f08dd2ffcb44f'],
    files: ['attachment screenshot.png 8', 'attachment save.json 9'],
  },
  '00034-browser.req': { dropped: ['span not_used 12'] },
  '00035-browser.req': { dropped: ['log not_used 1'] },
  '00046-native-inproc-events.req': {
    events: ['message Hello World!'],
    sessions: ['ok 0 test-example-release'],
    files: ['attachment bytes.bin 3'],
  },
  '00048-native-inproc-events.req': {
    events: ['feedback some-message null'],
    files: [
      'attachment .sentry-test-feedback-attachment 35',
      'attachment additional-info.txt 22',
      'attachment bytes.bin 3',
    ],
  },
  '00052-native-inproc-events.req': { dropped: ['log not_used 1'] },
  '00053-native-inproc-events.req': { dropped: ['trace_metric not_used 1'] },
  '00055-native-inproc-restart.req': {
    events: ['crash SIGSEGV: Segfault'],
    sessions: ['crashed ended 1 test-example-release'],
    files: ['attachment bytes.bin 3'],
  },
  '00070-cli-sendevent.req': { events: ['message hello'] },
  '00078-rust-events.req': {
    events: ['error Os: Is a directory (os error 21)'],
    sessions: ['errored 1 thegame@1.2.0'],
  },
  '00080-rust-events.req': { sessions: ['ok ended 0 thegame@1.2.0', 'errored ended 1 thegame@1.2.0'] },
  '00083-rust-minidump.req': {
    events: ['crash '],
    files: ['minidump 3407d03a-7077-480c-8d2a-8e0de62f0a6e.dmp 71285'],
  },
  '00085-py429.req': { discarded: ['ratelimit_backoff error 1'] },
  '00095-browser429.req': { files: ['attachment save.json 9'] },
  '00107-browser-tunnel.req': { sessions: ['ok 0 thegame@1.2.0'] },
  '00131-node.req': { events: ['error Error: cannot load level < TypeError'] },
  '00132-node.req': { dropped: ['check_in not_used 1'] },
};

describe('recorded requests', { skip: REQUESTS_MISSING }, () => {
  it('all have an expectation and a test', () => {
    const names = listRequests();
    assert.deepEqual(
      readExpectations()
        .map(({ file }) => file)
        .sort(),
      names,
    );
    const ofCli = names.filter((name) => name.includes('cli-dif'));
    assert.deepEqual([...Object.keys(SUMMARIES), ...ofCli, '00076-crashpad-crash.req'].sort(), names);
  });

  for (const [name, expected] of Object.entries(SUMMARIES)) {
    for (const size of [Number.POSITIVE_INFINITY, 7]) {
      it(`${name} in ${size === 7 ? 'small pieces' : 'one piece'} has what the client sent`, async () => {
        assert.deepEqual(await summarize(name, size), expected);
      });
    }
  }

  for (const name of Object.keys(SUMMARIES)) {
    it(`${name} names its project and key`, async () => {
      const { path, headers, body } = readRequest(name);
      const url = new URL(path, 'http://localhost');
      const { header } = await receive(inPieces(body), headers['content-encoding']);
      const project = /^\/api\/([^/]+)\//.exec(url.pathname)?.[1];
      const { key, project: found } = readCredentials({ headers, query: url.searchParams, project, dsn: header.dsn });
      assert.deepEqual([key, found], [KEY, '42']);
    });
  }

  it('00076-crashpad-crash.req has an event and three breadcrumbs in msgpack', () => {
    const parts = formParts('00076-crashpad-crash.req');
    const names = [...parts.keys()];
    assert.ok(names.includes('upload_file_minidump') && names.includes('guid'));
    const event = normalizeEvent(eventOfForm({ fields: [], files: parts }));
    assert.equal(event.release, 'test-example-release');
    assert.deepEqual(
      event.breadcrumbs.map(({ message }) => message),
      ['default level is info', 'debug crumb', 'lf\ncrlf\r\nlf\n...'],
    );
    assert.equal(kindOfEvent(event, { hasDump: true }), 'crash');
    assert.equal(event.userId, '42');
  });

  it('nothing private is left of any of them', async () => {
    for (const name of Object.keys(SUMMARIES)) {
      const { headers, body } = readRequest(name);
      const { items, eventId } = await receive(inPieces(body), headers['content-encoding']);
      const events = items.flatMap(({ value }) => normalizeEvent(value, eventId));
      const text = JSON.stringify(events, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
      assert.doesNotMatch(
        text,
        /\/home\/dev|dsn=|build-host|pc-1|\{\{auto\}\}|SHLVL|sys\.argv|"py\/game\.py"|"vars"/,
        name,
      );
    }
  });
});

async function summarize(name: string, size: number): Promise<Summary> {
  const { headers, body } = readRequest(name);
  const { items, eventId, files, dropped, isCut } = await receive(inPieces(body, size), headers['content-encoding']);
  assert.equal(isCut, false);
  const hasDump = files.some(({ kind }) => kind === 'minidump');
  const lists = {
    events: items.flatMap(({ type, value }) => {
      if (type !== 'event' && type !== 'feedback') return [];
      const event = normalizeEvent(value, eventId);
      const kind = kindOfEvent(event, { type, hasDump });
      if (event.feedback !== null) return `${kind} ${event.feedback.message} ${event.feedback.eventId}`;
      return [`${kind} ${headlineOf(event)}`, ...event.exceptions.slice(1).map((cause) => cause.type)].join(' < ');
    }),
    sessions: items.flatMap(({ type, value }) => {
      const session = type === 'session' ? sessionOf(value) : null;
      if (session === null) return [];
      return [session.status, ...(session.isEnded ? ['ended'] : []), session.errors, session.release].join(' ');
    }),
    files: files.map(formatFile),
    dropped: dropped.map((each) => `${each.type} ${each.reason} ${each.quantity}`),
    discarded: items.flatMap(({ type, value }) =>
      type === 'client_report'
        ? discardedOf(value).map(({ reason, category, quantity }) => `${reason} ${category} ${quantity}`)
        : [],
    ),
  };
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

function formatFile({ kind, filename, bytes }: KeptFile): string {
  return `${kind} ${filename} ${bytes.length}`;
}

/** The parts of a form, as the server reads them with its own parser. */
function formParts(name: string): Map<string, Uint8Array> {
  const { headers, body } = readRequest(name);
  const boundary = `--${/boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1]}`;
  const text = gunzipSync(body).toString('latin1');
  const parts = text.split(boundary).slice(1, -1);
  return new Map(
    parts.map((part) => {
      const head = part.slice(0, part.indexOf('\r\n\r\n'));
      const content = part.slice(head.length + 4, -2);
      return [/ name="([^"]+)"/.exec(head)?.[1] ?? '', Buffer.from(content, 'latin1')];
    }),
  );
}
