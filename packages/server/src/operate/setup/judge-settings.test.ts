import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../config.ts';
import { parseBlobSettings } from '../../kernel/blobs/open.ts';
import { judgeParts } from './judge-settings.ts';

function judge(environment: Record<string, string>, proxies = 0) {
  const config = readConfig(environment);
  const publicUrl = config.publicUrl ?? 'http://127.0.0.1:4000';
  const parts = judgeParts({ config, publicUrl, proxies, storage: parseBlobSettings(config.blobs, '/data') });
  return Object.fromEntries(parts.map(({ part, ...judgement }) => [part, judgement]));
}

const PUBLIC = { CHAUFFEUR_PUBLIC_URL: 'https://games.example.com' };
const linesOf = (advice: readonly { variable: string; value: string }[] = []) =>
  advice.map(({ variable, value }) => `${variable}=${value}`);

describe('the judgement of an installation', () => {
  it('is that everything is ready with production settings', () => {
    const parts = judge(
      {
        ...PUBLIC,
        CHAUFFEUR_TRUST_PROXY: '1',
        CHAUFFEUR_SMTP: 'smtp://mail.example.com',
        CHAUFFEUR_MAIL_FROM: 'Games <no-reply@example.com>',
        CHAUFFEUR_CLAMD: 'localhost:3310',
        CHAUFFEUR_REQUIRE_SCAN: '1',
        CHAUFFEUR_BLOBS: 's3://builds?region=eu-central-1',
        DATABASE_URL: 'postgresql://db/chauffeur',
      },
      1,
    );
    const levels = Object.values(parts).map(({ level }) => level);
    assert.deepEqual(levels, ['good', 'good', 'good', 'good', 'good', 'info']);
    assert.deepEqual(
      Object.values(parts).flatMap(({ advice }) => advice),
      [],
    );
  });

  it('advises HTTPS at the current address', () => {
    const { address } = judge({ CHAUFFEUR_PUBLIC_URL: 'http://games.example.com:4000' });
    assert.equal(address?.level, 'bad');
    assert.deepEqual(linesOf(address?.advice), [
      'CHAUFFEUR_PUBLIC_URL=https://games.example.com:4000',
      'CHAUFFEUR_TRUST_PROXY=1',
    ]);
    assert.equal(judge({}).address?.level, 'unsure');
  });

  it('advises to trust exactly as many proxies as there are', () => {
    for (const [trusted, proxies] of [
      ['0', 2],
      ['3', 2],
      ['1', 0],
    ] as const) {
      const { address } = judge({ ...PUBLIC, CHAUFFEUR_TRUST_PROXY: trusted }, proxies);
      assert.equal(address?.level, 'bad');
      assert.deepEqual(linesOf(address?.advice), [`CHAUFFEUR_TRUST_PROXY=${proxies}`]);
    }
  });

  it('finds a sender that mail servers refuse', () => {
    const { mail } = judge({ ...PUBLIC, CHAUFFEUR_SMTP: 'smtp://mail.example.com' });
    assert.equal(mail?.level, 'unsure');
    assert.deepEqual(linesOf(mail?.advice), ['CHAUFFEUR_MAIL_FROM="Chauffeur <no-reply@games.example.com>"']);
  });

  it('finds an S3 endpoint that players may not reach', () => {
    const levelOf = (endpoint: string, site = PUBLIC) =>
      judge({ ...site, CHAUFFEUR_BLOBS: `s3://builds?endpoint=${endpoint}` }).storage?.level;
    assert.equal(levelOf('https://s3.example.com'), 'good');
    assert.equal(levelOf('http://s3.example.com'), 'unsure');
    assert.equal(levelOf('https://minio:9000'), 'unsure');
    assert.equal(levelOf('http://localhost:9000'), 'unsure');
    assert.equal(levelOf('http://localhost:9000', { CHAUFFEUR_PUBLIC_URL: 'http://localhost:4000' }), 'good');
  });
});
