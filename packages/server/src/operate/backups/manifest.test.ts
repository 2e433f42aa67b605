import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  backupIdOf,
  FORMAT,
  formatManifest,
  idOfKey,
  isManifestKey,
  type Manifest,
  manifestKeyOf,
  parseManifest,
  prefixOf,
} from './manifest.ts';

const STARTED = new Date('2026-11-23T06:14:00.123Z');
const KEY = manifestKeyOf(backupIdOf(STARTED));
const MANIFEST: Manifest = {
  format: FORMAT,
  version: '1.2.3',
  startedAt: STARTED.toISOString(),
  snapshot: '1:2:',
  migrations: [],
  partitions: [],
  sequences: [],
  tables: [],
  jobs: { key: 'k', size: 1, sha256: 's', rows: 1 },
  blobLists: [],
  blobs: 0,
  blobBytes: 0,
  missing: [],
};

describe('manifests', () => {
  test('are read as they were written', () => {
    assert.deepEqual(parseManifest(formatManifest(MANIFEST), KEY), MANIFEST);
  });

  test('are refused when any part is changed or missing', () => {
    const text = formatManifest(MANIFEST);
    for (const broken of [text.replace('"1.2.3"', '"1.2.4"'), text.slice(0, -3), '', '{}'])
      assert.throws(() => parseManifest(broken, KEY), /^BackupError: The backup is damaged: backups\/.+manifest\.json/);
  });

  test('of another format are refused with the version that reads them', () => {
    const text = formatManifest({ ...MANIFEST, format: 2 } as unknown as Manifest);
    assert.throws(() => parseManifest(text, KEY), /format 2: restore it with Chauffeur 1\.2\.3/);
  });

  test('have keys that sort by time', () => {
    assert.equal(KEY, 'backups/20261123t061400.123z/manifest.json');
    assert.equal(isManifestKey(KEY), true);
    assert.equal(isManifestKey(`${prefixOf('a')}users.copy.zst`), false);
    assert.equal(idOfKey(KEY), '20261123t061400.123z');
  });
});
