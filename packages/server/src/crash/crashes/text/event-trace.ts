// Reads the exceptions of events that Sentry's clients send into the form of exceptions in texts. Frames get
// the names that the formats of texts give them, so that reports of one cause are in one group, whichever client sent
// them.
import type { SentryFrame, Stack, StoredEvent } from '@chauffeur/sentry/event/event';
import { chainOf, type GroupingException, type Language, languageOf } from '@chauffeur/sentry/grouping';
import { formatAddress } from '@chauffeur/sentry/ids';
import { ImageMap, nativeFrames } from '@chauffeur/sentry/native-stack';
import { limitTrace } from './find-trace.ts';
import { dotnet, dotnetMethodOf } from './formats/dotnet.ts';
import { godotScript, scriptFrame } from './formats/godot.ts';
import { java, javaFrame } from './formats/java.ts';
import { javascript, javascriptFrame } from './formats/javascript.ts';
import { go, goFrame, goFrameAt, rust, rustFrame, rustFrameAt, stableGoName } from './formats/panics.ts';
import { python, pythonFrame } from './formats/python.ts';
import { nativeFrame } from './native-frames.ts';
import { qualify, shownFile } from './source-names.ts';
import { frame, type Trace, type TraceException, type TraceFrame } from './trace.ts';

/** The names of the formats, as they are shown. */
const FORMATS: Readonly<Record<Language, string>> = {
  csharp: dotnet.name,
  gdscript: godotScript.name,
  go: go.name,
  java: java.name,
  javascript: javascript.name,
  native: 'Native',
  python: python.name,
  rust: rust.name,
  other: 'Stack',
};

/** The trace of an event, limited in size; null for one with neither an exception nor a stack. */
export function traceOfEvent(event: StoredEvent): Trace | null {
  const chain = chainOf(event);
  if (chain === null) return null;
  const images = new ImageMap(event.images);
  const exceptionOf = ({ type, value, stack }: GroupingException): TraceException => ({
    type,
    message: value,
    frames: framesOf(stack, event, images, chain.language),
  });
  return limitTrace({
    format: FORMATS[chain.language],
    isNative: chain.language === 'native',
    isFatal: event.level === 'fatal' || event.exceptions.some(({ isHandled }) => isHandled === false),
    main: exceptionOf(chain.main),
    related: chain.related.map(({ relation, ...each }) => ({ ...exceptionOf(each), relation })),
  });
}

/** The frames of a stack of an event, one for each, with their full lengths. `main` is the language of its chain. */
export function framesOf(stack: Stack, event: StoredEvent, images: ImageMap, main: Language): TraceFrame[] {
  return nativeFrames(stack, images, { isCrashed: false }).map(({ frame: sent, image, offset }) => {
    const language = languageOf(sent, event);
    // Godot names the place in the engine that noticed the error of a script.
    const isOfEngine = main === 'gdscript' && language === 'native' && sent.address === null;
    const named = FRAMES[isOfEngine ? 'gdscript' : language](sent);
    const own = named.own && sent.isInApp !== false;
    if (language !== 'native' || offset === null) return { ...named, own };
    const native = nativeFrame({ ...sent, module: image?.file ?? sent.package, offset: formatAddress(offset) });
    return { ...native, own: native.own && sent.isInApp !== false };
  });
}

const FRAMES: Readonly<Record<Language, (sent: SentryFrame) => TraceFrame>> = {
  csharp: (sent) => csharpFrame(sent),
  gdscript: (sent) => scriptFrame(sent.function, placeOf(sent)),
  go: (sent) => {
    const call = goFrame(stableGoName(joined(sent.module, sent.function)));
    return sent.file === '' ? call : goFrameAt(call, sent.path || sent.file, sent.line);
  },
  java: (sent) => javaFrame(joined(sent.module, sent.function), { file: sent.file || null, line: sent.line }),
  javascript: (sent) => javascriptFrame(sent.function, sent.file === '' ? '<anonymous>' : placeOf(sent)),
  native: (sent) => nativeFrame({ ...sent, module: sent.package }),
  python: (sent) => pythonFrame(sent.function, sent.path || sent.file, sent.line),
  rust: (sent) => {
    const call = rustFrame(sent.function);
    const { line, column } = sent;
    return sent.file === '' ? call : rustFrameAt(call, { file: sent.path || sent.file, line, column });
  },
  other: ({ function: name, module, file, line, column }) =>
    frame({
      function: name === '' ? null : qualify(name, module || file),
      file: file === '' ? null : shownFile(file),
      line,
      column,
    }),
};

/** The module of a function may be in its name already. */
function joined(module: string, name: string): string {
  return module === '' || name.startsWith(`${module}.`) ? name : `${module}.${name || '?'}`;
}

function placeOf({ file, path, line, column }: SentryFrame): string {
  const place = [path || file, ...(line === null ? [] : [line, ...(column === null ? [] : [column])])];
  return place.join(':');
}

function csharpFrame(sent: SentryFrame): TraceFrame {
  const place = {
    file: sent.file === '' ? null : shownFile(sent.path || sent.file),
    line: sent.line,
    column: sent.column,
  };
  const module = withoutTypeArguments(sent.module);
  const method = dotnetMethodOf(`${joined(module, csharpName(sent.function, module))}()`, false);
  if (method !== null) return { ...method, ...place };
  return frame({ function: sent.function === '' ? null : qualify(sent.function, sent.file), ...place });
}

/**
 * The method as the compiler names it, from how the client writes it for people: `Send { <lambda> }`, `async Task
 * Send(string text)`, `void Send()+() => { }` and `void Send()+Retry(int count)`.
 */
function csharpName(text: string, module: string): string {
  const name = withoutClass(nameBefore(text), module);
  const local = /\)\+(\w{1,200})\(/.exec(text)?.[1];
  if (local !== undefined) return `<${name}>g__${local}|0`;
  return /\{ ?<lambda> ?\}|=> ?\{/.test(text) ? `<${name}>b__0` : name;
}

/** `Load` of `Level.Load`, whose class is the end of the module: `Owls.Level`. */
function withoutClass(name: string, module: string): string {
  for (let at = 0; at >= 0 && at < module.length; at = endOf(module, at)) {
    const rest = `${module.slice(at).replaceAll('+', '.')}.`;
    if (name.startsWith(rest)) return name.slice(rest.length);
  }
  return name;
}

/** Where the next name of a module begins. */
function endOf(module: string, at: number): number {
  const next = module.slice(at).search(/[.+]/);
  return next < 0 ? module.length : at + next + 1;
}

/** The last word before the arguments, without arguments of types. `new Level(int number)` is a constructor. */
function nameBefore(text: string): string {
  const [head = ''] = text.split(/\(| \{/, 1);
  if (/^new [\w.+<>]{1,200}$/.test(head)) return '.ctor';
  const bare = withoutTypeArguments(head.trim());
  return bare.slice(bare.lastIndexOf(' ') + 1);
}

/** `Cache.Get` of `Cache<Dictionary<int, string>>.Get`. Names that the compiler makes begin with a bracket. */
function withoutTypeArguments(name: string): string {
  const bare = name.replace(/(?<=[\w\]])<[^<>]{0,200}>/g, '');
  return bare === name ? name : withoutTypeArguments(bare);
}
