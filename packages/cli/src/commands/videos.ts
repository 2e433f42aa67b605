// `chauffeur videos`: uploads, lists, orders and deletes the videos of the game's page.
import { Command } from 'commander';
import type { Act } from './command.ts';

export function videosCommand(act: Act): Command {
  const subcommand = (usage: string, description: string, example: string) =>
    new Command(usage).description(description).addHelpText('after', `\nExample:\n  $ chauffeur videos ${example}`);
  const run = (name: keyof typeof import('../actions/videos.ts')) =>
    act(async () => (await import('../actions/videos.ts'))[name]);
  return subcommand('videos', 'manage the uploaded videos of the store page', 'add trailer.mp4')
    .addCommand(
      subcommand('add', 'upload a video, which players see once it has been scanned', 'add trailer.mp4')
        .argument('<file>', 'MP4 or WebM, at most 100 MiB')
        .action(run('add')),
    )
    .addCommand(subcommand('list', 'list the videos with their uids and states', 'list').action(run('list')))
    .addCommand(
      subcommand('delete', 'delete a video', 'delete 0193a7c0-0000-7000-8000-000000000001')
        .argument('<uid>', 'uid of the video')
        .action(run('remove')),
    )
    .addCommand(
      subcommand('order', 'set the order of the videos', 'order <uid> <uid>')
        .argument('<uids...>', 'uids of all videos in the new order')
        .action(run('order')),
    );
}
