import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorsOf, type Operation } from './operation.ts';
import { OPERATIONS } from './operations/all.ts';

type Schema = { type?: string; properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[] };

/** Names of texts that give access; `uploads` are addresses with a token in each. */
const SECRET = /(^|_)(token|secret|password)(_|$)|^(key|secret_key|symbols_url|uploads)$/;

/** Names of the fields that carry a secret, however deep. */
function secretsOf(schema: Schema = {}): string[] {
  const { properties = {}, items, anyOf = [] } = schema;
  const own = Object.entries(properties).flatMap(([name, field]) => {
    const isSecret = SECRET.test(name) && (field.type === 'string' || name === 'uploads');
    return isSecret ? [name] : secretsOf(field);
  });
  return [...own, ...(items === undefined ? [] : secretsOf(items)), ...anyOf.flatMap(secretsOf)];
}

test('every operation that answers with a secret is marked as such', () => {
  const unmarked = OPERATIONS.filter(
    (operation: Operation) => secretsOf(operation.output as Schema).length > 0 && operation.secret !== true,
  );
  assert.deepEqual(
    unmarked.map(({ id }) => id),
    [],
  );
});

test('so is every operation that answers with an address that gives access, or with what such an address leads to', () => {
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

test('public reads can be refused by the limit on them, images cannot', () => {
  const limited = OPERATIONS.filter((operation: Operation) => errorsOf(operation).includes(4290)).map(({ id }) => id);
  assert.ok(limited.includes('store.browse'));
  assert.ok(!limited.includes('media.download'));
});
