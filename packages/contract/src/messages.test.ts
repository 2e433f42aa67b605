import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bodiesOf, parametersOf, successesOf } from './messages.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations/all.ts';
import { findProblem } from './validate.ts';

function operation(id: string): Operation {
  return OPERATIONS.find((candidate) => candidate.id === id)!;
}

const formatsOf = (id: string) =>
  successesOf(operation(id)).map(({ status, contents }) => [
    status,
    contents.map(({ contentType, enveloped }) => `${contentType}${enveloped ? ' in an envelope' : ''}`),
  ]);

describe('every operation', () => {
  test('returns either an envelope or bytes with declared content types', () => {
    const wrong = OPERATIONS.filter(
      ({ output, answerTypes }) => (output === undefined) === (answerTypes === undefined),
    );
    assert.deepEqual(
      wrong.map(({ id }) => id),
      [],
    );
  });

  test('that takes a form declares the content type of each file', () => {
    const forms = OPERATIONS.flatMap((operation) =>
      bodiesOf(operation).flatMap(({ contentType, schema }) =>
        contentType === 'multipart/form-data' ? [{ id: operation.id, text: JSON.stringify(schema) }] : [],
      ),
    );
    assert.ok(forms.length >= 6);
    for (const { id, text } of forms) assert.match(text, /"format":"binary","contentMediaType":"/, id);
  });

  test('has a schema for each status if its output is a union', () => {
    for (const { id, output, statuses } of OPERATIONS) {
      const { anyOf } = (output ?? {}) as { anyOf?: unknown[] };
      if (anyOf !== undefined) assert.equal(anyOf.length, statuses.length, id);
    }
  });

  test('has examples that match its schemas', () => {
    const examples = OPERATIONS.flatMap(({ id, body, output, example }) => [
      ...(example?.body === undefined ? [] : [{ id, schema: body!, value: example.body }]),
      ...(example?.answer === undefined ? [] : [{ id, schema: output!, value: example.answer }]),
    ]);
    assert.ok(examples.length >= 4);
    for (const { id, schema, value } of examples) assert.equal(findProblem(schema, value), null, id);
  });
});

test('reports and events identify their game in headers or in the query', () => {
  for (const id of ['crashes.create', 'crashes.createUnreal', 'events.create']) {
    const names = parametersOf(operation(id)).map(({ name, place }) => `${place} ${name}`);
    assert.deepEqual(
      ['header X-App-Id', 'header X-Build-Id', 'query app_id', 'query build_id'].filter(
        (name) => !names.includes(name),
      ),
      [],
      id,
    );
  }
});

test('a crash report can be JSON or a form, and the response has the format its sender expects', () => {
  assert.deepEqual(
    bodiesOf(operation('crashes.create')).map(({ contentType }) => contentType),
    ['application/json', 'multipart/form-data'],
  );
  assert.deepEqual(formatsOf('crashes.create'), [
    [200, ['text/plain']],
    [201, ['application/json in an envelope']],
  ]);
});

test('a download can be partial, redirected, unchanged or out of range', () => {
  assert.deepEqual(formatsOf('store.download'), [
    [200, ['application/zip']],
    [206, ['application/zip']],
    [302, []],
    [304, []],
    [416, []],
  ]);
  const headers = parametersOf(operation('store.download')).filter(({ place }) => place === 'header');
  assert.deepEqual(
    headers.map(({ name }) => name),
    ['If-None-Match', 'Range', 'If-Range'],
  );
});

test('an upload returns a file once it is complete, and the progress for a chunk', () => {
  type Schema = { properties: object; anyOf?: readonly { properties: object }[] };
  const fieldsAt = (status: number) => {
    const { contents } = successesOf(operation('uploads.file')).find((success) => success.status === status)!;
    const schema = contents[0]!.schema as unknown as Schema;
    return (schema.anyOf ?? [schema]).map(({ properties }) => Object.keys(properties));
  };
  assert.ok(fieldsAt(201).every((fields) => fields.includes('file_uid')));
  assert.deepEqual(
    fieldsAt(202).map((fields) => ['progress', 'state'].filter((field) => fields.includes(field))),
    [['progress'], ['state']],
  );
});
