// A server with a game, for tests that run the real command with the game's deploy key, in a separate folder.
import { join } from 'node:path';
import { after, before } from 'node:test';
import { makeGame, startServer, type TestGame, type TestServer } from '../../packages/server/test/setup/server.ts';
import { type Environment, makeFolder, type Result, runCommand } from './processes.ts';

/** Starts the server before the tests of the file, and stops it afterwards. */
export function serveCommandGame() {
  let server: TestServer;
  let game: TestGame;
  let work: Awaited<ReturnType<typeof makeFolder>>;
  before(async () => {
    [server, work] = await Promise.all([startServer(), makeFolder()]);
    game = await makeGame(server);
  });
  after(async () => {
    await server?.stop();
    await work?.remove();
  });
  return {
    get server() {
      return server;
    },
    get game() {
      return game;
    },
    /** The path of something in the folder in which the command runs. */
    pathOf: (name: string) => join(work.path, name),
    run(args: readonly string[], more: Environment = {}): Promise<Result> {
      const environment = {
        SERVICE_API_URL: server.api,
        SERVICE_ACCESS_TOKEN: game.keyHeaders['x-access-token'],
        SERVICE_SECRET_KEY: game.keyHeaders['x-secret-key'],
        XDG_CONFIG_HOME: join(work.path, 'config'),
        ...more,
      };
      return runCommand([...args], { environment, folder: work.path });
    },
  };
}
