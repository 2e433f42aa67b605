// The fixed limits of the service: sizes in bytes, lengths in characters (code points), and times in seconds unless the
// name says otherwise.

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;

export const LIMITS = {
  /** The length of a name in the DNS (RFC 1035). */
  hostLength: 253,
  /** Largest zip, uploaded whole or in chunks. */
  fileBytes: 5 * GIB,
  /** The CLI uploads larger files in chunks. */
  singleUploadBytes: 64 * MIB,
  /** Chunk size of the CLI; the server accepts chunks of any size. */
  chunkBytes: 16 * MIB,
  /** One text field of a form. */
  formFieldBytes: 64 * KIB,
  versionLength: 32,
  buildTypeLength: 32,
  organisationNameLength: 80,
  /** Organisations that a person may be a member of before they can create no more. */
  organisations: 100,
  titleLength: 255,
  passwordMinLength: 10,
  passwordLength: 128,
  channelLength: 32,
  descriptionLength: 10_000,
  taglineLength: 120,
  handleLength: { min: 3, max: 32 },
  /** The name of an account that players see. */
  displayNameLength: 80,
  /** RFC 5321, section 4.5.3.1.3, without the angle brackets. */
  emailLength: 254,
  gameTags: 10,
  gameLinks: 10,
  gameLinkLength: 500,
  /** Addresses of videos on other websites. */
  gameVideos: 4,
  /** Uploaded videos of a game; the bytes, the duration and the shorter and longer side of each. */
  videoFiles: 3,
  videoBytes: 100 * MIB,
  videoSeconds: 3600,
  videoPixels: { min: 240, max: 4096 },
  gameLanguages: 60,
  /** Of one operating system, the minimum or what is recommended. */
  requirementsLength: 1000,
  installNotesLength: 1000,
  contentNotes: 12,
  contentNoteLength: 80,
  /** The count of the games that match a search stops here. */
  gamesCounted: 1000,
  tagsListed: 24,
  similarGames: 4,
  /** Days that statistics show, and versions and referrers of each. */
  statisticsDays: 400,
  statisticsRows: 50,
  /** Days for which refused reports and events are counted, and build ids that are listed. */
  refusalDays: 30,
  refusalsListed: 100,
  /** What a player, or an operator who hides a page, writes about it. */
  pageReportLength: 2000,
  /** The reports about one game. */
  pageReportsShown: 20,
  /** Newest releases of a game in a list. */
  releasesListed: 1000,
  changelogItems: 100,
  engineVersionLength: 64,
  filenameLength: 255,
  /** Entries of a zip. */
  zipEntries: 200_000,
  /** Entries of a zip that is played in the browser, and the total length of their paths. */
  playEntries: 20_000,
  playPathCharacters: 2 * MIB,
  /** Symbolic links of such a zip. Each is read on its own before the game can start. */
  playLinks: 1000,
  /** How long the URL of a build that is not public can be played: long enough for an evening. */
  playSeconds: 12 * 3600,
  /** Total of the unpacked sizes in a zip's central directory. */
  zipUnpackedBytes: 50 * GIB,
  /** Unpacked size divided by packed size, for the whole zip. */
  zipRatio: 200,
  promotionHours: 2160,
  rolloutSteps: 20,
  /** A minute to 30 days. */
  rolloutStepHours: { min: 1 / 60, max: 720 },
  /** Devices that each side of a rollout needs before a guard decides. */
  rolloutMinDevices: { min: 20, max: 1_000_000 },
  /** Crash groups of a rollout that are listed. */
  rolloutGroups: 10,
  /** Versions whose changes an update lists. */
  updateChangelogs: 20,
  pageSize: 100,
  /** The page of a list that returns all items unless a limit is given. */
  wholeListPage: 10_000,
  /** Long enough for a cursor that contains a file name. */
  cursorLength: 2000,
  /** The dump or the log of a crash report. */
  crashFileBytes: 64 * MIB,
  /** Files of a crash report besides the dump and the log; the bytes of each, and of all together. */
  crashAttachments: 10,
  crashAttachmentBytes: 16 * MIB,
  crashAttachmentsBytes: 32 * MIB,
  attachmentNameLength: 100,
  crashUploadSeconds: 24 * 3600,
  crashDownloadSeconds: 3600,
  metadataKeys: 64,
  /** The scripts of one crash report. */
  debugIds: 32,
  metadataKeyLength: 64,
  metadataValueLength: 1024,
  userMessageLength: 4000,
  /** Events before a crash. */
  breadcrumbs: 50,
  /** The threads of an event that are returned with its report. */
  eventThreads: 50,
  crashGroupsListed: 100,
  crashGroupsCounted: 10_000,
  /** The groups of a comparison of two builds: those of the first, of the second, and of both. */
  comparedGroups: 50,
  /** The builds of one version: in a list of versions, and in one that is read or deleted. */
  versionBuildsListed: 64,
  versionBuilds: 200,
  withdrawnBuilds: 50,
  /** The new and the fixed crash groups of a version. */
  versionGroups: 50,
  /** The groups in one request. */
  crashGroupsChanged: 500,
  crashGroupsMerged: 100,
  /** Functions whose reports are split off from one group. */
  crashGroupSplits: 20,
  commentLength: 10_000,
  /** The rules of one game. */
  groupingRules: 100,
  /** The prefixes of the source code of one game. */
  pathPrefixes: 20,
  bugTitleLength: 120,
  /** The labels of one ticket. */
  bugLabels: 10,
  bugLabelLength: 32,
  /** Saved searches of one game. */
  crashSearches: 100,
  /** Reports that the crashes with the most devices are counted from. */
  crashesCounted: 50_000,
  /** Reports that the impact of a query is counted from. */
  crashReportsCounted: 2000,
  groupingPatternLength: 255,
  issueUrlLength: 2000,
  /** A bug ticket has two long texts, which become code blocks. */
  issueBodyLength: 40_000,
  /** The part of a log that a page shows. */
  crashLogShownBytes: 64 * KIB,
  /** Threads of a dump in a list, and frames and words of the stack of one thread, in one response. */
  threadsListed: 512,
  threadFrames: 1000,
  threadWords: 1024,
  similarGroups: 5,
  /** Newest reports of a group that are searched for modules that stopped their walks. */
  walkStopReports: 200,
  /** Newest reports of a build that are searched for missing symbols. */
  missingSymbolReports: 500,
  /** A Breakpad symbol file, unpacked. */
  symbolFileBytes: 512 * MIB,
  /** A program or debug file that is uploaded as symbols, unpacked. */
  nativeFileBytes: 2 * GIB,
  /** Architectures of a universal binary that is uploaded as symbols. */
  nativeSlices: 8,
  /** The size of a chunk that sentry-cli sends, and the chunks and compressed bytes of a request. */
  sentryChunkBytes: 8 * MIB,
  sentryChunksOfRequest: 64,
  sentryRequestBytes: 32 * MIB,
  /** Chunks of one file, files in one call, and chunks of a game that no file is made of yet, with their bytes. */
  sentryFileChunks: 1024,
  sentryFiles: 10_000,
  sentryChunks: 20_000,
  sentryChunksBytes: 16 * GIB,
  symbolFiles: 200,
  symbolUnpackedBytes: 2 * GIB,
  symbolUploadBytes: GIB,
  bugMessageLength: 10_000,
  bugStepsLength: 4000,
  bugScreenshots: 3,
  /** The count of a game's open tickets stops here. */
  bugsCounted: 1000,
  /** Events in one request. */
  events: 100,
  /** A request of an engine's analytics module, which sends its whole queue at once. */
  engineEventBytes: 4 * MIB,
  /** Skipped events for which the response to such a request includes a reason. */
  eventReasons: 10,
  eventNameLength: 64,
  /** Custom event names of a game that are counted separately. */
  eventNames: 500,
  /** device_uid, session_id and event_id. */
  eventIdLength: 64,
  eventProperties: 32,
  eventPropertyKeyLength: 64,
  eventPropertyLength: 256,
  eventMs: 600_000,
  eventSeconds: 86_400,
  /** Longest chart by hour and by day, in days. */
  eventChartDays: { hour: 31, day: 400 },
  /** Series in a chart, not including the series of all others. */
  eventSeries: 20,
  /** Active upload tokens of a game. */
  uploadTokens: 20,
  uploadTokenDays: 3650,
  uploadTokenNameLength: 60,
  /** DSNs of a game that are not revoked. */
  dsns: 20,
  /** Reports of an unregistered release that are counted. */
  releaseReportsCounted: 1000,
  dsnNameLength: 60,
  /** Active personal keys of an account. */
  agentKeys: 50,
  agentKeyDays: 3650,
  agentNameLength: 100,
  /** Active API tokens of an account. */
  apiTokens: 50,
  apiTokenDays: 365,
  apiTokenDefaultDays: 90,
  /** Games that an API token can be limited to. */
  apiTokenGames: 100,
  apiTokenNameLength: 60,
  /** The id of an OAuth client can be the URL of its metadata document. */
  agentClientIdLength: 2000,
  /** The name that a program gives itself. */
  agentClientNameLength: 200,
  /** Addresses to which a program can be redirected after consent. */
  agentRedirects: 20,
  /** A tool result: applies to its text and to its JSON. */
  agentAnswerLength: 20_000,
  /** What the command reports about its computer. */
  cliHostLength: 64,
  /** Active logins of the command of an account. */
  cliLogins: 50,
  /** Days after which an unused login of the command expires. */
  cliLoginDays: 90,
  galleryImages: 20,
  /** Chats and webhooks of a game. */
  alertDestinations: 20,
  destinationNameLength: 80,
  webhookAddressLength: 2000,
  /** Thirty days. */
  alertRepeatHours: 720,
  imagesPerRequest: 10,
} as const;
