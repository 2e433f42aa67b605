// Adds to the pages of the documentation what needs JavaScript: results while typing, copy buttons, one choice of shell
// for all pages, and a switch for dark mode.
import { addColourSwitch } from './colour-scheme.ts';
import { addCopyButtons } from './copy-buttons.ts';
import { suggestResults } from './search-box.ts';
import { rememberShell } from './shell-choice.ts';

addColourSwitch();
addCopyButtons();
rememberShell();
suggestResults();
document.querySelector('.sidebar [aria-current]')?.scrollIntoView({ block: 'nearest' });
