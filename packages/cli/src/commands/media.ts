// `chauffeur media`: uploads, lists, orders and deletes the game's store images.
import type { Command } from 'commander';
import { type Act, newCommand } from './command.ts';

export function mediaCommand(act: Act): Command {
  const run = (name: keyof typeof import('../actions/media.ts')) =>
    act(async () => (await import('../actions/media.ts'))[name]);
  return newCommand('media', 'manage the images of the store page', 'media add shots/*.png')
    .addCommand(
      newCommand('cover', 'upload the cover, replacing the current one', 'media cover cover.png')
        .argument('<file>', 'PNG, JPEG, GIF or WebP, from 1024×576 to 2048×1152 pixels')
        .action(run('uploadCover')),
    )
    .addCommand(
      newCommand('thumbnail', 'upload the thumbnail, replacing the current one', 'media thumbnail thumb.png')
        .argument('<file>', 'PNG, JPEG, GIF or WebP, from 960×540 to 1920×1080 pixels')
        .action(run('uploadThumbnail')),
    )
    .addCommand(
      newCommand('add', 'add screenshots to the end of the gallery', 'media add shots/*.png')
        .argument('<files...>', 'PNG, JPEG, GIF or WebP, from 1280×720 to 2048×1152 pixels')
        .action(run('addScreenshots')),
    )
    .addCommand(newCommand('list', 'list the images with their uids', 'media list').action(run('list')))
    .addCommand(
      newCommand('delete', 'delete an image', 'media delete thumbnail')
        .argument('<uid>', 'uid of a screenshot, or "cover" or "thumbnail"')
        .action(run('remove')),
    )
    .addCommand(
      newCommand('move', 'move a screenshot within the gallery', 'media move 0193a7c0-0000-7000-8000-000000000001 1')
        .argument('<uid>', 'uid of the screenshot')
        .argument('<position>', 'new position, from 1')
        .action(run('move')),
    )
    .addCommand(
      newCommand('order', 'set the order of the whole gallery', 'media order <uid> <uid> <uid>')
        .argument('<uids...>', 'uids of all screenshots in the new order')
        .action(run('order')),
    );
}
