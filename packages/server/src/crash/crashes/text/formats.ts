// The formats of text reports, in order: the first that recognizes a line reads the report that begins there. A new
// format is one file and one line here.
import { appleCrash, nsException } from './formats/apple.ts';
import { dart } from './formats/dart.ts';
import { dotnet } from './formats/dotnet.ts';
import { gameMaker } from './formats/gamemaker.ts';
import { go } from './formats/go.ts';
import { godotConsole, godotCrash, godotScript } from './formats/godot.ts';
import { haxe } from './formats/haxe.ts';
import { hotspot } from './formats/hotspot.ts';
import { java } from './formats/java.ts';
import { javascript } from './formats/javascript.ts';
import { lua } from './formats/lua.ts';
import { nativeAbort } from './formats/native.ts';
import { nim } from './formats/nim.ts';
import { odin } from './formats/odin.ts';
import { python, renpy } from './formats/python.ts';
import { rpgMaker, rpgMakerLog, ruby, rubyBug } from './formats/ruby.ts';
import { rust } from './formats/rust.ts';
import { swift } from './formats/swift.ts';
import { tombstone } from './formats/tombstone.ts';
import { monoAssertion, unityCrash } from './formats/unity.ts';
import { unreal } from './formats/unreal.ts';
import { zig } from './formats/zig.ts';
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
