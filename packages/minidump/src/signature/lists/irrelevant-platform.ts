// Irrelevant frames of crash reporters, and of software between a game and the OS: Wine, Proton, overlays.
import type { Pattern } from './pattern-list.ts';

export const reporterIrrelevant: readonly Pattern[] = [
  { match: /@0x[1-9a-f][0-9a-f]*/, why: 'address outside all modules' },
  { match: /google_breakpad::.*/, why: 'Breakpad writing the dump' },
  { match: /crashpad::.*|CrashpadClient::.*/, why: 'Crashpad writing the dump' },
  {
    match: /sentry(?:__|_)\w+|SentryCrash\w*|sentrycrash\w*|bugsplat\w*|BugSplat::.*|bsg_\w+|backtrace::.*/,
    why: 'crash reporter',
  },
  {
    match: /SteamAPI_(?:WriteMiniDump|SetMiniDumpComment)|OUTLINED_FUNCTION_\d+/,
    why: 'crash reporter or shared code',
  },
  { match: /MiniDumpWriteDump|MiniDumper::.*|minidump_writer::.*|crash_handler::.*/, why: 'writing the dump' },
  {
    match:
      /__(?:asan|ubsan|tsan|msan|sanitizer|interceptor|hwasan|lsan)_\w+|__(?:asan|ubsan|tsan|msan|sanitizer|hwasan|lsan)::.*/,
    why: 'sanitizer report',
  },
  {
    match: /backtrace(?:_symbols(?:_fd)?)?|CaptureStackBackTrace|RtlCaptureStackBackTrace|RtlCaptureContext\d?/,
    why: 'stack capture',
  },
];

export const translationIrrelevant: readonly Pattern[] = [
  {
    match:
      /__wine_\w+|wine_\w+|call_stdcall_func|call_(?:vectored|unhandled|seh)_\w+|dispatch_exception|raise_(?:exception|status)|signal_start_thread|start_thunk/,
    why: 'Wine call or dispatch',
  },
  {
    match:
      /(?:segv|trap|fpe|abrt|quit|usr1|int)_handler|setup_exception(?:_record)?|virtual_(?:handle_fault|setup_exception)/,
    why: 'Wine signal handling',
  },
  {
    match: /KiUserExceptionDispatcher_\w+|server_(?:call_unlocked|select|wait)|wait_(?:reply|select_reply)/,
    why: 'waiting for the Wine server',
  },
  { match: /wine(?:64)?(?:-preloader)?|ntdll\.so|winevulkan\.so|win32u\.so/, why: 'Wine module' },
  { match: /steamclient(?:64)?\.(?:so|dll)|pressure-vessel-\w+/, why: 'Steam client in the process' },
  {
    match: /gameoverlay(?:renderer|ui)(?:64)?\.(?:so|dll|dylib)|vulkan_?fossilize_layer\.so|libvkoverlay\.so/,
    why: 'Steam overlay',
  },
  {
    match:
      /discordhook(?:64)?\.dll|rtsshooks(?:64)?\.dll|nvspcap(?:64)?\.dll|obs-(?:vulkan|opengl|graphics-hook)(?:64|32)?\.dll|graphics-hook(?:64|32)\.dll|eosovh-win(?:64|32)-shipping\.dll|mangohud\.so|libmangohud\w*\.so/,
    why: 'third-party overlay',
  },
];
