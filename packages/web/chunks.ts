// Which code the files of the website have: what many pages share is in few files, because a page would otherwise load
// dozens of small ones. Libraries, which change less often than the pages, have separate files.

const LIBRARY = 'node_modules/@mantine/core/esm';

/** Components of nearly all pages. */
const COMMON = [
  ...[
    'ActionIcon',
    'Alert',
    'Anchor',
    'Badge',
    'Button',
    'CloseButton',
    'Code',
    'Checkbox/CheckIcon',
    'Combobox/ComboboxChevron',
    'Container',
  ],
  ...[
    'Group',
    'Input',
    'Kbd',
    'Loader',
    'NativeSelect',
    'SimpleGrid',
    'Skeleton',
    'Stack',
    'Text',
    'TextInput',
    'Title',
  ],
  ...['Transition', 'UnstyledButton', 'VisuallyHidden'],
];
/** Components that float above others. */
const OVERLAYS = [
  'Autocomplete',
  'Combobox',
  'FloatingIndicator',
  'Menu',
  'Overlay',
  'Popover',
  'ScrollArea',
  'Select',
];
/** Hooks that only these use. */
const OVERLAY_HOOKS = [
  ...['use-click-outside', 'use-debounced-callback', 'use-debounced-value', 'use-did-update', 'use-focus-return'],
  ...['use-focus-trap', 'use-long-press', 'use-previous', 'use-resize-observer'],
];
/** Parts of forms. */
const FIELDS = ['Checkbox', 'NumberInput', 'PasswordInput', 'Radio', 'Switch'];

/** The parts that most pages use. */
const isShared = inFolders(
  ...['ui', 'frame', 'charts', 'pages/games/use-game', 'api', 'session', 'texts'].map(
    (name) => `packages/web/src/${name}`,
  ),
);
/** Parts that the page of a crash group, which people open most often, does not need at first. */
const isOfFewPages = inFolders(
  ...[
    ...['BandBadge', 'DataTable', 'Dialog', 'PagedTable', 'RoleSelect', 'SelectRows', 'ShellCommand'],
    ...['UnsavedWarning', 'Choice', 'ShowMore', 'credentials', 'platforms'],
  ].map((name) => `packages/web/src/ui/${name}`),
  'packages/web/src/charts/SeriesTable',
);
/** How commands are written for each shell, which only pages with commands to copy need. */
const isOfCommands = inFolders('packages/contract/src/shell');
/** The language of crash searches, which only lists of crashes need. */
const isOfSearches = inFolders('packages/contract/src/crash-query');
const isOfContract = inFolders('packages/contract/src');
const isOpenedLater = inFolders(
  ...['GameMenu', 'ShortcutList', 'UndoOffer', 'palette'].map((name) => `packages/web/src/frame/${name}`),
);

const CRASHES = 'packages/web/src/pages/crashes';
const isOfCrashes = inFolders(CRASHES);
/** The folded sections of the page of a crash, and what only some crashes have. */
const isFolded = inFolders(
  ...['Attachments', 'MissingGameSymbols', 'Threads', 'describe-stops'].map((name) => `${CRASHES}/${name}`),
);
/** The code that the page of a crash group loads when someone scrolls down. */
const isFurtherDown = inFolders(
  ...['CrashTitle', 'Facets', 'ReportTable', 'split-title'].map((name) => `${CRASHES}/${name}`),
);

/** It loads the operations of bug tickets, which the page of a crash group needs only further down. */
const isOfTickets = inFolders(`${CRASHES}/LinkedTickets`);

const HOOKS = 'node_modules/@mantine/hooks/esm';
const isCommon = inFolders(HOOKS, `${LIBRARY}/core`, ...COMMON.map((name) => componentOf(name)));
const isOverlay = inFolders('node_modules/@floating-ui', ...OVERLAYS.map((name) => componentOf(name)));
const isHookOfOverlays = inFolders(...OVERLAY_HOOKS.map((name) => `${HOOKS}/${name}`));

/** A group includes what its modules import, unless a group with a higher priority includes it. */
export const CHUNKS = [
  {
    name: 'framework',
    priority: 4,
    test: inFolders(
      ...['react', 'react-dom', 'scheduler', '@tanstack', 'use-sync-external-store'].map(
        (name) => `node_modules/${name}`,
      ),
      ...['vite/preload-helper', 'rolldown/runtime'],
    ),
  },
  {
    name: 'components',
    priority: 4,
    test: (id: string) => isCommon(id) && !isHookOfOverlays(id),
  },
  { name: 'crash-searches', priority: 4, test: isOfSearches },
  {
    name: 'contract',
    priority: 3,
    // With a lower number, pages load operations that they never call.
    minShareCount: 9,
    test: (id: string) => isOfContract(id) && !isOfCommands(id),
  },
  {
    name: 'shared',
    priority: 2,
    test: (id: string) => isShared(id) && !isOpenedLater(id) && !isOfFewPages(id),
  },
  { name: 'lists', priority: 1, test: (id: string) => isOfFewPages(id) || isOfCommands(id) },
  {
    name: 'overlays',
    priority: 1,
    minShareCount: 2,
    test: (id: string) => isOverlay(id) || isHookOfOverlays(id),
  },
  {
    name: 'fields',
    priority: 1,
    minShareCount: 2,
    test: inFolders(`${LIBRARY}/utils/InlineInput`, ...FIELDS.map((name) => componentOf(name))),
  },
  {
    name: 'crashes',
    priority: 1,
    minShareCount: 2,
    test: (id: string) => isOfCrashes(id) && !isFolded(id) && !isFurtherDown(id) && !isOfTickets(id),
  },
  { name: 'crash-details', test: isFolded },
  { name: 'crash-lists', minShareCount: 2, test: isFurtherDown },
];

function componentOf(name: string): string {
  return `${LIBRARY}/components/${name}`;
}

/** Whether a module is one of these, or in one of these folders. */
function inFolders(...paths: readonly string[]): (id: string) => boolean {
  return (id) => {
    const path = id.replaceAll('\\', '/').replace(/^\0?\/?/, '/');
    return paths.some((each) => path.includes(`/${each}/`) || path.includes(`/${each}.`));
  };
}
