// The formats of text reports, in order: the first that recognizes a line reads the report that begins there. A new
// format is one file and one line here.
import { appleCrash, nsException, swift } from './formats/apple.ts';
import { dart, haxe } from './formats/cross-compiled.ts';
import { dotnet } from './formats/dotnet.ts';
import { gameMaker, monoAssertion, unityCrash, unreal } from './formats/engines.ts';
import { godotConsole, godotCrash, godotScript } from './formats/godot.ts';
import { hotspot, java } from './formats/java.ts';
import { javascript } from './formats/javascript.ts';
import { lua } from './formats/lua.ts';
import { nativeAbort, tombstone } from './formats/native.ts';
import { go, nim, odin, rust, zig } from './formats/panics.ts';
import { python, renpy } from './formats/python.ts';
import { rpgMaker, rpgMakerLog, ruby, rubyBug } from './formats/ruby.ts';
import type { TextFormat } from './trace.ts';

/** Formats with distinct words come first, and formats that are known by the shape of their frames last. */
export const FORMATS: readonly TextFormat[] = [
  appleCrash,
  nsException,
  godotCrash,
  monoAssertion,
  unityCrash,
  renpy,
  gameMaker,
  rpgMaker,
  rpgMakerLog,
  rubyBug,
  rust,
  go,
  zig,
  odin,
  nim,
  swift,
  godotConsole,
  godotScript,
  unreal,
  tombstone,
  hotspot,
  python,
  java,
  javascript,
  dotnet,
  lua,
  dart,
  haxe,
  ruby,
  nativeAbort,
];
