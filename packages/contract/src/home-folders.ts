// Removes the names of home folders from texts with paths, because a home folder is named after its owner.

const PLACEHOLDER = '<user>';

/**
 * The folders that contain home folders: `/home/ann`, `/Users/ann`, `C:\Users\Ann Lee\`, `C:\Documents and
 * Settings\ann`, also below a mount point: `/mnt/c/Users/ann`, `/run/media/ann`. Separators may be of either kind (Wine
 * has `Z:\home\ann`) and doubled (escaped text). A folder called `home` deeper in a path does not match:
 * `src/home/menu.cc`.
 */
const HOME_PARENT =
  /(?:[a-z]:)?(?:[\\/]{1,4}(?:var|usr|export|run|mnt|net|srv|nfs|host|private|cygdrive|volumes))?(?:[\\/]{1,4}[a-z])?[\\/]{1,4}(?:home|users|documents and settings|media)[\\/]{1,4}/;
/** A name may contain spaces if a separator follows it. */
const NAME = /(?:[^\\/:*?"<>|\r\n]{1,64}(?=[\\/])|[^\s\\/:;,*?"'<>|()[\]]{1,64})/;
const HOMES = new RegExp(`(?<!\\w)(${HOME_PARENT.source})${NAME.source}`, 'gi');

/** `open /home/ann/saves/1.sav failed` → `open /home/<user>/saves/1.sav failed`. Other text stays the same. */
export function redactUserPaths(text: string): string {
  return text.replace(HOMES, `$1${PLACEHOLDER}`);
}
