// Every text of a request that other people can see follows the one rule for lines or the one for texts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findDisplayNameProblem } from './display-name.ts';
import { OPERATIONS } from './operations/all.ts';
import { cleanLine, cleanText, hasHiddenCharacter, LINE_PATTERN, showHidden, TEXT_PATTERN } from './text.ts';

const OVERRIDE = '\u202e';
const ISOLATE = '\u2066';
const BELL = '\u0007';

/** Fields whose texts no one else sees, or which have their own rule, by what a field is for. */
const EXCEPTIONS: readonly (readonly [reason: string, fields: RegExp])[] = [
  [
    'a secret or id, which is only compared',
    /\.(cursor|token|read_token|device_code|key|code|nonce|password|client_id|user_id|assignee|handle|uid|image|build_id|id)$|X-Read-Token$|X-Upload-Session-ID$|Idempotency-Key$/,
  ],
  [
    'a search, which is only compared',
    /:query\.(search|text|who|q|query|frame|facet|part|name|tag|from|to|label|version)$/,
  ],
  ['only compared with the address of the service', /^setup\.get:query\.origin$/],
  ['the host of a page, which is stored if it is one', /:query\.referrer$/],
  ['the handle of a page, with its own rule', /^accounts\.updateProfile:body\.handle$/],
  ['the name of the game, as confirmation', /^games\.delete:body\.name$/],
  [
    'ignored, or accepted only if it names the game',
    /^(builds\.register:body\.app(_name)?|uploads\.\w+:body\.(build|build_type|version))$/,
  ],
  ['the name of a file, with its own rule', /^uploads\.openSession:body\.filename$/],
  ['checked by the feature: an IANA time zone', /^alerts\.update:body\.time_zone$/],
  ['an address, with its own rule', /:body\.(url|url_template)$/],
  ['a function of the reports, which is compared with theirs', /^crashes\.splitGroup:body\.function$/],
  ['of a program that could not react: cleaned where it is shown', /^(crashes\.create|events\.create):body(\.|$)/],
  ['a header that is parsed', /:(headers|headerQuery)\.(app_id|X-App-Id|X-Build-Id|Accept-Encoding|Content-Range)$/],
  ['the path of a symbol server, which is compared', /^symbols\.read:params\./],
];

type Schema = Readonly<Record<string, unknown>>;

/** The schemas of strings in a schema, by the path of the field. */
function* stringsIn(schema: unknown, path: string): Generator<readonly [path: string, schema: Schema]> {
  if (typeof schema !== 'object' || schema === null) return;
  const { type, anyOf, properties, patternProperties, items, additionalProperties } = schema as Record<string, object>;
  if ((type as unknown) === 'string') yield [path, schema as Schema];
  for (const option of Object.values(anyOf ?? {})) yield* stringsIn(option, path);
  for (const [name, inner] of Object.entries(properties ?? {})) yield* stringsIn(inner, `${path}.${name}`);
  for (const inner of Object.values(patternProperties ?? {})) yield* stringsIn(inner, `${path}.*`);
  yield* stringsIn(items, `${path}[]`);
  yield* stringsIn(additionalProperties, `${path}.*`);
}

function allows({ pattern }: Schema, text: string): boolean {
  return typeof pattern !== 'string' || new RegExp(pattern).test(text);
}

/** Whether no value can have a character that reverses, hides or breaks what is next to it. */
function isSafe(schema: Schema): boolean {
  if (schema.enum !== undefined || schema.const !== undefined || schema.format !== undefined) return true;
  return [OVERRIDE, ISOLATE, BELL].every((hidden) =>
    // In texts of this form, a pattern that accepts any text accepts one of these.
    ['ab', 'a1', 'https://a.b/c', '7'].every((text) => ['', text].every((end) => !allows(schema, text + hidden + end))),
  );
}

describe('a text of a request', () => {
  const fields = OPERATIONS.flatMap((operation) =>
    (['params', 'query', 'headers', 'headerQuery', 'body'] as const)
      .flatMap((part) => [...stringsIn(operation[part], `${operation.id}:${part}`)])
      .concat(
        Object.values(operation.otherBodies ?? {}).flatMap((body) => [...stringsIn(body, `${operation.id}:body`)]),
      ),
  );

  test('has no hidden characters, or is one of the exceptions', () => {
    assert.ok(fields.length > 500);
    const open = fields.filter(
      ([path, schema]) => !isSafe(schema) && !EXCEPTIONS.some(([, known]) => known.test(path)),
    );
    assert.deepEqual([...new Set(open.map(([path]) => path))], []);
  });

  test('is an exception only if there is such a field', () => {
    for (const [reason, known] of EXCEPTIONS)
      assert.ok(
        fields.some(([path, schema]) => known.test(path) && !isSafe(schema)),
        reason,
      );
  });
});

const HIDDEN = [
  '\u0000',
  '\t',
  '\n',
  '\u001b',
  '\u0085',
  '\u00ad',
  '\u061c',
  '\u200b',
  '\u200e',
  '\u200f',
  '\u2028',
  OVERRIDE,
  '\u2060',
  ISOLATE,
  '\u2069',
  '\ufeff',
];

describe('a line', () => {
  const line = new RegExp(LINE_PATTERN);

  test('has no character that is invisible, breaks it or changes the direction of text', () => {
    for (const hidden of HIDDEN)
      for (const text of [`a${hidden}b`, hidden, `${hidden}a`, `a${hidden}`])
        assert.ok(!line.test(text), JSON.stringify(text));
  });

  test('may be written in any script, with emoji', () => {
    for (const text of ['', 'Über 3 Füchse', 'نمی‌خواهم', 'שלום', 'क्‍ष', '👩‍🚀 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿', '日本語　ゲーム'])
      assert.ok(line.test(text), text);
  });

  test('does not consist of blanks only', () => {
    for (const text of ['\u200d', ' \u3164 ', '\u2800\u2800', '\ufe0f'])
      assert.ok(!line.test(text), JSON.stringify(text));
  });

  test('is decided in time that grows with its length', () => {
    const started = process.cpuUsage();
    for (const text of [' \u3164'.repeat(5000), ' '.repeat(10_000), `${'\u3164 '.repeat(5000)}a`]) line.test(text);
    assert.ok(process.cpuUsage(started).user < 500_000);
  });

  test('has only characters that a display name can have', () => {
    for (const hidden of HIDDEN) assert.notEqual(findDisplayNameProblem(`a${hidden}b`), null, JSON.stringify(hidden));
  });
});

describe('a text', () => {
  const text = new RegExp(TEXT_PATTERN);

  test('may have line breaks, tabs and the marks of right-to-left scripts', () => {
    for (const allowed of ['a\r\n\tb', 'שלום\u200f!', 'نمی‌خواهم', 'a\u200bb']) assert.ok(text.test(allowed), allowed);
  });

  test('has no other control characters, and none that reverse the text around them', () => {
    for (const hidden of ['\u0000', '\u0008', '\u001b', '\u009f', '\u202a', OVERRIDE, ISOLATE, '\u2069'])
      assert.ok(!text.test(`a${hidden}b`), JSON.stringify(hidden));
  });
});

test('texts of libraries are cleaned', () => {
  assert.equal(cleanLine(` a\u202e\u0007b\nc\ud800 `), 'a b c\ufffd');
  assert.equal(cleanText('a\u202eb\nc\u0000'), 'ab\nc');
  assert.equal(showHidden('a\u202eb'), 'a\ufffdb');
  assert.deepEqual(['a\u200bb', 'a b'].map(hasHiddenCharacter), [true, false]);
});
