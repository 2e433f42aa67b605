import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorsOf, type Operation } from './operation.ts';
import { OPERATIONS } from './operations/all.ts';

type Schema = { type?: string; properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[] };

/** Names of fields that give access. `uploads` contains URLs, each with a token. */
const SECRET = /(^|_)(token|secret|password)(_|$)|^(key|secret_key|symbols_url|uploads)$/;

/** Names of the fields that contain a secret, at any depth. */
function secretsOf(schema: Schema = {}): string[] {
  const { properties = {}, items, anyOf = [] } = schema;
  const own = Object.entries(properties).flatMap(([name, field]) => {
    const isSecret =
      SECRET.test(name) && !/_(id|ref|name)$/.test(name) && (field.type === 'string' || name === 'uploads');
    return isSecret ? [name] : secretsOf(field);
  });
  return [...own, ...(items === undefined ? [] : secretsOf(items)), ...anyOf.flatMap(secretsOf)];
}

test('every operation that returns a secret is marked as secret', () => {
  const unmarked = OPERATIONS.filter(
    (operation: Operation) => secretsOf(operation.output as Schema).length > 0 && operation.secret !== true,
  );
  assert.deepEqual(
    unmarked.map(({ id }) => id),
    [],
  );
});

test('every operation that returns a URL with access, or the content of such a URL, is marked as secret', () => {
  const marked = OPERATIONS.filter(({ secret }: Operation) => secret).map(({ id }) => id);
  for (const id of [
    'crashes.requestDownload',
    'crashes.download',
    'crashes.getPublic',
    'crashes.getPublicStack',
    'play.get',
  ])
    assert.ok(marked.includes(id as never), id);
});

test('public reads count against the read limit, but images do not', () => {
  const limited = OPERATIONS.filter((operation: Operation) => errorsOf(operation).includes(4290)).map(({ id }) => id);
  assert.ok(limited.includes('store.browse'));
  assert.ok(!limited.includes('media.download'));
});
