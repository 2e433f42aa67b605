// `chauffeur videos`: uploads, lists, orders and deletes the videos of the game's page.
import type { Command } from 'commander';
import { type Act, newCommand } from './command.ts';

export function videosCommand(act: Act): Command {
  const run = (name: keyof typeof import('../actions/videos.ts')) =>
    act(async () => (await import('../actions/videos.ts'))[name]);
  return newCommand('videos', 'manage the uploaded videos of the store page', 'videos add trailer.mp4')
    .addCommand(
      newCommand('add', 'upload a video, which players see once it has been scanned', 'videos add trailer.mp4')
        .argument('<file>', 'MP4 or WebM, at most 100 MiB')
        .action(run('add')),
    )
    .addCommand(newCommand('list', 'list the videos with their uids and states', 'videos list').action(run('list')))
    .addCommand(
      newCommand('delete', 'delete a video', 'videos delete 0193a7c0-0000-7000-8000-000000000001')
        .argument('<uid>', 'uid of the video')
        .action(run('remove')),
    )
    .addCommand(
      newCommand('order', 'set the order of the videos', 'videos order <uid> <uid>')
        .argument('<uids...>', 'uids of all videos in the new order')
        .action(run('order')),
    );
}
