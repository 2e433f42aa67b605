import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { eventOfForm } from '../envelope/form-parts.ts';
import { chainOf } from '../grouping.ts';
import { parseJson } from '../json.ts';
import { ImageMap, nativeFrames, neededDebugIds } from '../native-stack.ts';
import { headlineOf, kindOfEvent, mainStack, normalizeEvent } from './normalize.ts';

const toJson = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `0x${each.toString(16)}` : each));

function checkStorable(value: unknown): void {
  const event = normalizeEvent(value);
  const text = toJson(event);
  assert.ok(!text.includes('\\u0000') && text.isWellFormed() && !/\\ud[89a-f]/i.test(text));
  headlineOf(event);
  mainStack(event);
  chainOf(event);
  neededDebugIds(event);
  kindOfEvent(event, { hasDump: false });
}

/** Names of fields of events, with any values below them. */
const name = fc.constantFrom(
  ...['exception', 'values', 'type', 'value', 'stacktrace', 'frames', 'function', 'filename', 'lineno', 'in_app'],
  ...['mechanism', 'handled', 'meta', 'signal', 'threads', 'id', 'crashed', 'debug_meta', 'images', 'image_addr'],
  ...['debug_id', 'contexts', 'os', 'device', 'gpu', 'name', 'version', 'memory_size', 'breadcrumbs', 'data', 'tags'],
  ...['extra', 'user', 'fingerprint', 'message', 'formatted', 'timestamp', 'level', 'feedback', 'registers', 'rip'],
  ...['__proto__', 'constructor', 'toString', 'exception_id', 'parent_id', 'addr_mode', 'instruction_addr', 'request'],
);
const leaf = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('0x10', '\ud800', 'a\u0000b', 'rel:1', '2026-11-26T11:39:12.4Z', 'fatal', '{{ default }}', 1e308, -1),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 7, depthSize: 'large' },
    leaf,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('tree')), { maxLength: 8 }).map((entries) => parseJson(Buffer.from(jsonOf(entries)))),
  ),
}));

/** Written as JSON, so that `__proto__` is a field like any other. */
function jsonOf(entries: readonly (readonly [string, unknown])[]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value) ?? 'null'}`).join(',')}}`;
}

describe('normalizeEvent', () => {
  it('returns an event that can be stored for any value', () => {
    fc.assert(fc.property(tree, checkStorable), { numRuns: 2000 });
  });

  it('returns an event for a wrong type in each field of a full one', () => {
    const full = {
      event_id: '0123456789abcdef0123456789abcdef',
      exception: {
        values: [
          {
            type: 'A',
            value: 'b',
            mechanism: { handled: true, meta: { signal: { number: 11 } } },
            stacktrace: {
              frames: [{ function: 'f', lineno: 1, instruction_addr: '0x1', vars: { a: 1 } }],
              registers: { rip: '0x1' },
            },
          },
        ],
      },
      threads: { values: [{ id: 1, crashed: true, stacktrace: { frames: [{ function: 'g' }] } }] },
      debug_meta: { images: [{ type: 'elf', image_addr: '0x0', image_size: 10, code_id: 'ab' }] },
      contexts: { os: { name: 'Linux', version: '6' }, device: { memory_size: 1 }, feedback: { message: 'x' } },
      breadcrumbs: { values: [{ timestamp: 1, message: 'x', data: { a: 1 } }] },
      tags: { a: 'b' },
      user: { id: 1 },
      request: { headers: { 'User-Agent': 'x' } },
      fingerprint: ['a'],
    };
    const wrong = [null, 0, -1, 1e300, '', 'x', true, [], [[]], [null], {}, { values: null }, { values: [1, [], {}] }];
    const paths = pathsOf(full);
    for (const path of paths) {
      for (const value of wrong) {
        const copy = structuredClone(full) as unknown as Record<string, unknown>;
        let at: Record<string, unknown> = copy;
        for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
        at[path.at(-1)!] = value;
        checkStorable(copy);
      }
    }
    assert.ok(paths.length > 40);
  });

  it('keeps the newest of 200,000 breadcrumbs, and takes little time', () => {
    const breadcrumbs = Array.from({ length: 200_000 }, (_, at) => ({ message: `step ${at}`, data: { at } }));
    const start = process.cpuUsage();
    const event = normalizeEvent({ breadcrumbs });
    assert.ok(process.cpuUsage(start).user < 500_000);
    assert.deepEqual([event.breadcrumbs.length, event.breadcrumbs.at(-1)?.message], [100, 'step 199999']);
    assert.deepEqual(event.omissions, ['199900 breadcrumbs before the last 100 were left out.']);
  });

  it('bounds what it makes of huge lists, long texts and deep values', () => {
    const frames = Array.from({ length: 100_000 }, (_, at) => ({ function: `f${at}`, vars: { a: at } }));
    const long = 'x '.repeat(1_000_000);
    let deep: unknown = 'end';
    for (let depth = 0; depth < 50_000; depth += 1) deep = depth % 2 === 0 ? [deep] : { deep };
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`key${at}`, long]));
    const values = Array.from({ length: 1000 }, () => ({ type: 'A', value: long, stacktrace: { frames } }));
    const threads = Array.from({ length: 5000 }, () => ({ stacktrace: { frames } }));
    const start = process.cpuUsage();
    const event = normalizeEvent({
      exception: values,
      threads,
      message: long,
      tags: wide,
      extra: { deep, ...wide },
      contexts: { deep, wide, [long]: { [long]: long } },
    });
    const size = toJson(event).length;
    assert.ok(process.cpuUsage(start).user < 4_000_000);
    assert.ok(size < 12_000_000, `${size}`);
    assert.equal(event.exceptions[0]?.stack.frames[0]?.function, 'f99999');
  });

  it('takes an exception, breadcrumbs and tags in each form', () => {
    const exception = { type: 'A', value: 'b' };
    for (const sent of [{ values: [exception] }, [exception], exception])
      assert.equal(headlineOf(normalizeEvent({ exception: sent })), 'A: b');
    for (const tags of [{ a: 1 }, [['a', '1']], [{ key: 'a', value: 1 }]])
      assert.deepEqual(normalizeEvent({ tags }).tags, [['a', '1']]);
    for (const message of ['hey', { formatted: 'hey' }, { message: 'hey' }])
      assert.equal(normalizeEvent({ message }).message, 'hey');
    assert.equal(normalizeEvent({ logentry: { formatted: 'hey', message: '%s' } }).message, 'hey');
  });

  it('has the thrown exception first, and knows how the others relate to it', () => {
    const mechanism = (exception_id: number, parent_id?: number, more = {}) => ({ exception_id, parent_id, ...more });
    const { exceptions } = normalizeEvent({
      exception: [
        { type: 'D', mechanism: mechanism(4, 1) },
        { type: 'C', mechanism: mechanism(3, 0, { source: '__context__' }) },
        { type: 'B2', mechanism: mechanism(2, 0) },
        { type: 'B1', mechanism: mechanism(1, 0) },
        { type: 'A', mechanism: mechanism(0, undefined, { is_exception_group: true }) },
      ],
    });
    assert.deepEqual(
      exceptions.map(({ type, relation }) => `${type} ${relation}`),
      ['A thrown', 'B1 cause', 'B2 sibling', 'C handled', 'D cause'],
    );
  });

  it('leaves out the functions of the client that a stack begins with', () => {
    const names = (...frames: readonly object[]) => {
      const sent = { exception: [{ type: 'panic', stacktrace: { frames: frames.toReversed() } }] };
      return normalizeEvent(sent).exceptions[0]!.stack.frames.map(({ function: name }) => name);
    };
    const client = [
      { function: 'sentry_backtrace::current_stacktrace', in_app: false },
      { function: 'core::option::Option<T>::and_then', in_app: false },
      { function: '<sentry_panic::PanicIntegration as sentry_core::integration::Integration>::setup' },
    ];
    const game = [{ function: 'core::panicking::panic_fmt' }, { function: 'game::main', in_app: true }];
    assert.deepEqual(names(...client, ...game), ['core::panicking::panic_fmt', 'game::main']);
    assert.deepEqual(names(...game, ...client).length, 5);
    assert.deepEqual(names(...client).length, 3);
    assert.deepEqual(names({ function: 'sentry::Turret::fire' }), ['sentry::Turret::fire']);
  });

  it('decides what is a crash', () => {
    const kind = (sent: object, hasDump = false) => kindOfEvent(normalizeEvent(sent), { hasDump });
    assert.equal(kind({ exception: [{ type: 'A' }] }), 'error');
    assert.equal(kind({ exception: [{ type: 'A', mechanism: { handled: false } }] }), 'crash');
    assert.equal(kind({ level: 'fatal', message: 'x' }), 'crash');
    assert.equal(kind({ level: 'warning', message: 'x' }, true), 'crash');
    assert.equal(kind({ level: 'error', message: 'x' }), 'message');
    assert.equal(kind({ level: 'error', message: 'x', exception: [{ value: 'x' }] }), 'message');
    assert.equal(kind({ level: 'error', message: 'x', exception: [{ type: 'Error', value: 'x' }] }), 'error');
    assert.equal(kind({ level: 'error', exception: [{ value: 'x' }] }), 'error');
  });

  it('names the debug ids of images as Breakpad does', () => {
    const ids = (image: object) => normalizeEvent({ debug_meta: { images: [image] } }).images[0]?.debugId;
    assert.equal(ids({ debug_id: '9f7853fb-fb3b-be58-4c4c-44205044422e-1' }), '9F7853FBFB3BBE584C4C44205044422E1');
    assert.equal(
      ids({ type: 'macho', uuid: '4c4c44f9-5555-3144-a150-afb93134dce0' }),
      '4C4C44F955553144A150AFB93134DCE00',
    );
    const buildId = 'c6243620442a9df7e43387985d24f0ef64d8c328';
    assert.equal(ids({ type: 'elf', code_id: buildId }), '203624C62A44F79DE43387985D24F0EF0'.replace('2A44', '2A44'));
    assert.equal(ids({ type: 'elf', debug_id: '00000000-0000-0000-0000-000000000000' }), null);
    // Unity leaves out the zeros of a short one.
    const short = '3028CB80B071254100000000000000000';
    assert.equal(ids({ type: 'elf', debug_id: '3028cb80b0712541' }), short);
    assert.equal(ids({ type: 'elf', debug_id: '3028cb80-b071-2541-0000-000000000000' }), short);
    assert.equal(ids({ type: 'elf', code_id: '80cb283071b04125' }), short);
    assert.equal(ids({ type: 'elf', code_id: '80cb28' }), null);
  });

  it('adjusts addresses as the client says', () => {
    const offsets = (adjustment?: string) => {
      const frames = [{ instruction_addr: '0x1020' }, { instruction_addr: '0x1010' }];
      const stacktrace = { frames, registers: { rip: '0x1010' }, instruction_addr_adjustment: adjustment };
      const image = { type: 'elf', image_addr: '0x1000', image_size: 256 };
      const event = normalizeEvent({ exception: [{ type: 'A', stacktrace }], debug_meta: { images: [image] } });
      const { stack } = event.exceptions[0]!;
      return nativeFrames(stack, new ImageMap(event.images), { isCrashed: false }).map(({ offset }) => Number(offset));
    };
    assert.deepEqual(offsets(), [0x10, 0x1f]);
    assert.deepEqual(offsets('auto'), [0x10, 0x1f]);
    assert.deepEqual(offsets('none'), [0x10, 0x20]);
    assert.deepEqual(offsets('all'), [0x0f, 0x1f]);
    assert.deepEqual(offsets('all_but_first'), [0x10, 0x1f]);
  });

  it('reads exceptions of the log of Unity, and signals of tombstones', () => {
    const thrown = (exception: object) => normalizeEvent({ exception: [exception] }).exceptions[0]!;
    const logged = (value: string) => {
      const { type, value: message } = thrown({ type: 'LogException', value });
      return [type, message];
    };
    assert.deepEqual(logged('System.IO.IOException: disk full'), ['System.IO.IOException', 'disk full']);
    assert.deepEqual(logged('the disk: full'), ['LogException', 'the disk: full']);
    const mechanism = { type: 'Tombstone', meta: { number: 11, name: 'SIGSEGV', code: 1, code_name: 'SEGV_MAPERR' } };
    assert.deepEqual(thrown({ type: 'SIGSEGV', mechanism }).signal, { name: 'SIGSEGV', number: 11 });
  });

  it("names the player's graphics card and driver, and leaves out what identifies a device", () => {
    const event = (gpu: object, app: object = {}) => normalizeEvent({ contexts: { gpu, app } });
    const facts = (gpu: object) => Object.fromEntries(event(gpu).system.facts);
    assert.deepEqual(facts({ name: 'Radeon RX 6800', vendor_name: 'Advanced Micro Devices, Inc.' }), {
      gpu: 'AMD Radeon RX 6800',
    });
    assert.deepEqual(facts({ version: 'Direct3D 11.0 [level 11.1]' }), {});
    assert.deepEqual(facts({ version: '1.3.274' }), {});
    assert.deepEqual(facts({ version: 'Vulkan 1.3.0 [NVIDIA 551.23]' }), { driver: 'Vulkan 1.3.0 [NVIDIA 551.23]' });
    assert.deepEqual(event({}, { device_app_hash: '1f2e', app_memory: 1, in_foreground: true }).extra, [
      ['app.in_foreground', true],
    ]);
  });

  it('stores nothing private', () => {
    const event = normalizeEvent({
      server_name: 'anns-pc',
      user: { id: '1', email: 'ann@example.com', ip_address: '{{auto}}', username: 'ann', geo: { city: 'x' } },
      request: {
        url: 'https://a.example/?token=ann',
        cookies: 'ann=1',
        headers: { Cookie: 'ann' },
        env: { REMOTE_ADDR: 'ann' },
      },
      extra: {
        'sys.argv': ['ann'],
        environ: { HOME: 'ann' },
        Cookie: 'ann',
        path: '/home/ann/save.dat',
        nested: { password: 'ann', ok: 'C:\\Users\\Ann\\x' },
      },
      contexts: { device: { name: 'anns-phone', model: 'X' }, godot: { command_line_arguments: ['ann'] } },
      breadcrumbs: [
        { message: 'GET https://a.example/x?user=ann#ann', data: { url: '/level?user=ann', 'http.query': 'ann' } },
      ],
      exception: [
        {
          type: 'A',
          value: 'open /home/ann/x',
          stacktrace: { frames: [{ abs_path: '/Users/ann/a.py', vars: { ann: 1 } }] },
        },
      ],
    });
    assert.doesNotMatch(toJson(event), /ann/i);
    assert.match(toJson(event), /device\.model/);
  });
});

function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return path.length === 0 ? [] : [[...path]];
  const below = Object.entries(value).flatMap(([key, each]) => pathsOf(each, [...path, key]));
  return path.length === 0 ? below : [[...path], ...below];
}

describe('eventOfForm', () => {
  it('reads fields in brackets, JSON, and annotations that were cut', () => {
    const json = JSON.stringify({ release: 'a@1', tags: { b: '2' } });
    const fields: [string, string][] = [
      ['sentry[tags][level]', 'garage'],
      ['sentry[exception][values][0][type]', 'A'],
      ['sentry[__proto__][polluted]', 'yes'],
      ['sentry__2', json.slice(10)],
      ['sentry__1', json.slice(0, 10)],
      ['prod', 'game'],
    ];
    const event = normalizeEvent(eventOfForm({ fields, files: new Map() }));
    assert.deepEqual(event.tags, [
      ['level', 'garage'],
      ['b', '2'],
    ]);
    assert.deepEqual([event.release, headlineOf(event)], ['a@1', 'A']);
    assert.equal(({} as { polluted?: string }).polluted, undefined);
  });

  it('throws nothing for any bytes of msgpack', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const files = new Map([
          ['__sentry-event', bytes],
          ['__sentry-breadcrumb1', bytes],
        ]);
        checkStorable(eventOfForm({ fields: [], files }));
      }),
      { numRuns: 1000 },
    );
  });
});
