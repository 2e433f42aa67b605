// Takes the names of people out of paths: a home folder is called after its owner.

/** What stands in the place of the name. */
const SOMEONE = '<user>';

/**
 * Where home folders lie: `/home/ann`, `/Users/ann`, `C:\Users\Ann Lee\`, `C:\Documents and Settings\ann`, and below what they are mounted
 * at: `/mnt/c/Users/ann`, `/run/media/ann`. With either separator (Wine has `Z:\home\ann`), and doubled ones (text that was escaped).
 * A folder called `home` deep in a path is no such place: `src/home/menu.cc`.
 */
const PLACE =
  /(?:[a-z]:)?(?:[\\/]{1,4}(?:var|usr|export|run|mnt|net|srv|nfs|host|private|cygdrive|volumes))?(?:[\\/]{1,4}[a-z])?[\\/]{1,4}(?:home|users|documents and settings|media)[\\/]{1,4}/;
/** A name with spaces counts whole when a separator ends it. */
const NAME = /(?:[^\\/:*?"<>|\r\n]{1,64}(?=[\\/])|[^\s\\/:;,*?"'<>|()[\]]{1,64})/;
const HOMES = new RegExp(`(?<!\\w)(${PLACE.source})${NAME.source}`, 'gi');

/** `open /home/ann/saves/1.sav failed` → `open /home/<user>/saves/1.sav failed`. Text without such a path stays as it is. */
export function redactUserPaths(text: string): string {
  return text.replace(HOMES, `$1${SOMEONE}`);
}
