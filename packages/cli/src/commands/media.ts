// `chauffeur media`: uploads, lists, orders and deletes the game's store images.
import { Command } from 'commander';
import type { Act } from './command.ts';

export function mediaCommand(act: Act): Command {
  const subcommand = (usage: string, description: string, example: string) =>
    new Command(usage).description(description).addHelpText('after', `\nExample:\n  $ chauffeur media ${example}`);
  const run = (name: keyof typeof import('../actions/media.ts')) =>
    act(async () => (await import('../actions/media.ts'))[name]);
  return subcommand('media', 'manage the images of the store page', 'add shots/*.png')
    .addCommand(
      subcommand('cover', 'upload the cover, replacing the current one', 'cover cover.png')
        .argument('<file>', 'PNG, JPEG, GIF or WebP, from 1024×576 to 2048×1152 pixels')
        .action(run('uploadCover')),
    )
    .addCommand(
      subcommand('thumbnail', 'upload the thumbnail, replacing the current one', 'thumbnail thumb.png')
        .argument('<file>', 'PNG, JPEG, GIF or WebP, from 960×540 to 1920×1080 pixels')
        .action(run('uploadThumbnail')),
    )
    .addCommand(
      subcommand('add', 'add screenshots to the end of the gallery', 'add shots/*.png')
        .argument('<files...>', 'PNG, JPEG, GIF or WebP, from 1280×720 to 2048×1152 pixels')
        .action(run('addScreenshots')),
    )
    .addCommand(subcommand('list', 'list the images with their uids', 'list').action(run('list')))
    .addCommand(
      subcommand('delete', 'delete an image', 'delete thumbnail')
        .argument('<uid>', 'uid of a screenshot, or "cover" or "thumbnail"')
        .action(run('remove')),
    )
    .addCommand(
      subcommand('move', 'move a screenshot within the gallery', 'move 0193a7c0-0000-7000-8000-000000000001 1')
        .argument('<uid>', 'uid of the screenshot')
        .argument('<position>', 'new position, from 1')
        .action(run('move')),
    )
    .addCommand(
      subcommand('order', 'set the order of the whole gallery', 'order <uid> <uid> <uid>')
        .argument('<uids...>', 'uids of all screenshots in the new order')
        .action(run('order')),
    );
}
