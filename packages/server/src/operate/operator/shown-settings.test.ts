import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../config.ts';
import { showSettings } from './shown-settings.ts';

const shown = (environment: Record<string, string>) =>
  new Map(showSettings(readConfig(environment)).map((setting) => [setting.variable, setting]));

describe('the settings shown to operators', () => {
  it('are the active values with their defaults', () => {
    const settings = shown({ CHAUFFEUR_LIMIT_UPLOADS: '7' });
    const uploads = settings.get('CHAUFFEUR_LIMIT_UPLOADS');
    assert.deepEqual([uploads?.value, uploads?.default, uploads?.changed], ['7', '60', true]);
    assert.equal(settings.get('CHAUFFEUR_LIMIT_CHUNKS')?.changed, false);
    assert.equal(settings.get('CHAUFFEUR_SMTP')?.value, null);
    assert.equal(settings.get('CHAUFFEUR_DATA')?.changed, false);
  });

  it('never contain a secret, neither as a setting nor as a part of a URL', () => {
    const secret = 'hunter2-and-some-more-characters-of-it';
    const settings = shown({
      CHAUFFEUR_SECRET: secret,
      CHAUFFEUR_METRICS_TOKEN: secret,
      DATABASE_URL: `postgres://app:${secret}@db:5432/chauffeur?password=${secret}`,
      CHAUFFEUR_SMTP: `smtp://app:${secret}@mail.example.com:587`,
      CHAUFFEUR_BLOBS: `s3://${secret}@bucket?region=eu`,
      CHAUFFEUR_SYMBOL_SOURCES: `breakpad+https://a.example,breakpad+https://app:${secret}@b.example/files`,
    });
    assert.ok(!JSON.stringify([...settings.values()]).includes(secret));
    assert.deepEqual(
      [settings.get('CHAUFFEUR_SECRET')?.value, settings.get('CHAUFFEUR_SECRET')?.secret],
      ['set', true],
    );
    assert.equal(settings.get('DATABASE_URL')?.value, 'postgres://‹…›@db:5432/chauffeur?‹…›');
    assert.equal(settings.get('CHAUFFEUR_SMTP')?.value, 'smtp://‹…›@mail.example.com:587');
    assert.equal(
      settings.get('CHAUFFEUR_SYMBOL_SOURCES')?.value,
      'breakpad+https://a.example/ breakpad+https://b.example/files/',
    );
  });

  it('hide passwords that contain an @ or a slash', () => {
    const settings = shown({ DATABASE_URL: 'postgres://app:p@ss@db/chauffeur' });
    assert.equal(settings.get('DATABASE_URL')?.value, 'postgres://‹…›@db/chauffeur');
  });
});
