// The fixed bounds of the service: sizes in bytes, lengths in characters (code points), times in seconds unless named otherwise.

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const GIB = 1024 * MIB;

export const LIMITS = {
  /** Largest zip, single or in chunks. */
  fileBytes: 5 * GIB,
  /** The CLI sends larger files in chunks. */
  singleUploadBytes: 64 * MIB,
  /** Chunk size of the CLI; the server takes chunks of any size. */
  chunkBytes: 16 * MIB,
  /** One text field of a form. */
  formFieldBytes: 64 * KIB,
  versionLength: 32,
  buildTypeLength: 32,
  titleLength: 255,
  passwordLength: 128,
  channelLength: 32,
  descriptionLength: 10_000,
  taglineLength: 120,
  handleLength: { least: 3, most: 32 },
  /** Of an account, as players see it. */
  displayNameLength: 80,
  /** RFC 5321, section 4.5.3.1.3, without the angle brackets. */
  emailLength: 254,
  gameTags: 10,
  changelogItems: 100,
  engineVersionLength: 64,
  filenameLength: 255,
  /** Entries of one zip. */
  zipEntries: 200_000,
  /** Entries of a zip that is played in the browser, and characters of all their paths. */
  playEntries: 20_000,
  playPathCharacters: 2 * MIB,
  /** How long the address of a build that not everyone may play works: an evening. */
  playSeconds: 12 * 3600,
  /** Sum of the sizes that a zip's central directory announces. */
  zipUnpackedBytes: 50 * GIB,
  /** Unpacked to packed, over the whole zip. */
  zipRatio: 200,
  promotionHours: 2160,
  pageSize: 100,
  /** Of lists that are answered whole where no limit is asked for. */
  wholeListPage: 10_000,
  /** Has room for a position by the name of a file. */
  cursorLength: 2000,
  /** One dump or log of a crash report. */
  crashFileBytes: 64 * MIB,
  crashUploadSeconds: 24 * 3600,
  crashDownloadSeconds: 3600,
  metadataKeys: 64,
  metadataKeyLength: 64,
  metadataValueLength: 1024,
  userMessageLength: 4000,
  crashGroupsListed: 100,
  /** Of a log, on a page. */
  crashLogShownBytes: 64 * KIB,
  similarGroups: 5,
  /** Newest reports of a build that are asked which symbols they lacked. */
  missingSymbolReports: 500,
  /** One Breakpad symbol file, unpacked. */
  symbolFileBytes: 512 * MIB,
  symbolFiles: 200,
  symbolUnpackedBytes: 2 * GIB,
  symbolUploadBytes: GIB,
  bugMessageLength: 10_000,
  /** Open tickets of a game beyond these are not counted. */
  bugsCounted: 1000,
  /** Events of one request. */
  events: 100,
  /** A request of an engine’s analytics module, which sends its whole queue at once. */
  engineEventBytes: 4 * MIB,
  /** Skipped events of such a request that its answer gives a reason for. */
  eventReasons: 10,
  eventNameLength: 64,
  /** Custom names of one game that are counted each for itself. */
  eventNames: 500,
  /** device_uid, session_id and event_id. */
  eventIdLength: 64,
  eventProperties: 32,
  eventPropertyKeyLength: 64,
  eventPropertyLength: 256,
  eventMs: 600_000,
  eventSeconds: 86_400,
  /** Days of a chart by hour, and by day. */
  eventChartDays: { hour: 31, day: 400 },
  /** Series of one chart, beside one of all others. */
  eventSeries: 20,
  /** Personal keys of one person that work. */
  agentKeys: 50,
  agentKeyDays: 3650,
  agentNameLength: 100,
  /** Characters of the id of an OAuth client, which may be the address of its document. */
  agentClientIdLength: 2000,
  /** Characters of one answer to an agent: as text, and as JSON. */
  agentAnswerLength: 20_000,
  galleryImages: 20,
  imagesPerRequest: 10,
} as const;
