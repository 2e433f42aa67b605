// What Sentry's SDKs do once a game has reached its daily limit: they must not send what would be refused.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startHttpRecorder } from '../setup/http-recorder.ts';
import { CLIENT_NAMES, missingClient, openReportingGame } from '../setup/sentry-clients.ts';
import { serveSite } from '../setup/site.ts';
import { openStudio, type Studio } from '../setup/studio.ts';

describe('at the daily limit of a game', () => {
  let studio: Studio;
  const site = serveSite(
    async ({ service }) => {
      studio = await openStudio(service);
    },
    { env: { CHAUFFEUR_LIMIT_CRASHES: '1' } },
  );

  for (const client of CLIENT_NAMES)
    test(`the client in ${client} stops sending errors`, { skip: missingClient(client) }, async () => {
      const recorder = await startHttpRecorder(site.service.url);
      try {
        const game = await openReportingGame(site.service, studio.session);
        // Three errors, each once the answer to the one before has arrived.
        const { code, output } = await game.play(client, 'errors', { origin: recorder.url });
        assert.equal(code, 0, output);
        const events = recorder.exchanges.filter(({ body }) => /^\{.*"type": ?"event"/m.test(body));
        assert.deepEqual(
          events.map(({ status }) => status),
          [200, 429],
          output,
        );
        assert.equal((await game.reports()).length, 1);
      } finally {
        await recorder.close();
      }
    });
});
