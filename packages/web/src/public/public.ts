// Adds to the public pages what needs JavaScript. Without it, they are complete documents, with links and forms.
import { startBeta } from './beta.ts';
import { watchConnection } from './connection.ts';
import { addCopying } from './copying.ts';
import { startGallery } from './gallery.ts';
import { refineDownload } from './machine-choice.ts';
import { filterWhileTyping, showMoreInPlace } from './page-parts.ts';
import { passReferrerOn } from './referrer.ts';
import { addShortcut } from './shortcut.ts';
import { startSignOut } from './sign-out.ts';
import { addThemeSwitch } from './theme-switch.ts';
import { showLocalTimes } from './times.ts';
import { keepUnsentText } from './unsent-text.ts';
import { startVideos } from './videos.ts';

addThemeSwitch();
startSignOut();
addCopying();
addShortcut();
startGallery();
startVideos();
passReferrerOn();
startBeta();
keepUnsentText();
filterWhileTyping();
showMoreInPlace();
showLocalTimes(document);
watchConnection();
void refineDownload();
