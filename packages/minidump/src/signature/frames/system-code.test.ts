// Tests which modules belong to the operating system, by their folders.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frameOf } from '../../../test/frame.ts';
import type { OsName } from '../../streams/system-info.ts';
import { findSystemCode, isSystemPath } from './system-code.ts';

const SYSTEM: Readonly<Partial<Record<OsName, readonly string[]>>> = {
  android: [
    '/system/lib64/libhwui.so',
    '/apex/com.android.runtime/lib64/bionic/libc.so',
    '/vendor/lib64/egl/libGLES_mali.so',
    '/system_ext/lib64/libvendor.so',
    '/product/lib64/libfoo.so',
    '/odm/lib/libbar.so',
    '/my_product/lib64/libbaz.so',
    '/data/dalvik-cache/arm64/system@framework@boot.oat',
    '/data/misc/apexdata/com.android.art/dalvik-cache/arm64/boot.oat',
    '/data/app/~~q1==/com.google.android.trichromelibrary_604-x==/base.apk',
    '/product/app/WebViewGoogle/WebViewGoogle.apk',
    '[vdso]',
  ],
  linux: [
    '/usr/lib/x86_64-linux-gnu/libc.so.6',
    '/lib64/ld-linux-x86-64.so.2',
    '/usr/lib64/dri/iris_dri.so',
    '/usr/local/lib/libfoo.so',
    '/usr/share/dotnet/shared/Microsoft.NETCore.App/8.0.1/libcoreclr.so',
    '/nix/store/la5imi-glibc-2.40/lib/libc.so.6',
    '/run/opengl-driver/lib/libvulkan_radeon.so',
    '/run/host/usr/lib/libEGL_mesa.so.0',
    '/var/lib/flatpak/runtime/org.freedesktop.Platform/x86_64/23.08/abc/files/lib/libz.so.1',
    '/snap/core22/1380/usr/lib/x86_64-linux-gnu/libc.so.6',
    '/opt/amdgpu/lib/x86_64-linux-gnu/libdrm.so.2',
    '/home/<user>/.local/share/Steam/ubuntu12_32/steam-runtime/usr/lib/i386-linux-gnu/libcurl.so.4',
    '/games/steamapps/common/SteamLinuxRuntime_sniper/sniper_platform/files/lib/libfoo.so',
    '/home/<user>/.steam/root/compatibilitytools.d/GE-Proton9-1/files/lib64/wine/x86_64-unix/ntdll.so',
    '/memfd:doublemapper (deleted)',
    'linux-gate.so',
  ],
  macos: [
    '/System/Library/Frameworks/Metal.framework/Versions/A/Metal',
    '/usr/lib/swift/libswiftCore.dylib',
    '/usr/lib/dyld',
    '/Library/Audio/Plug-Ins/HAL/Foo.driver/Contents/MacOS/Foo',
    '/private/preboot/Cryptexes/OS/System/Library/dyld/dyld_shared_cache_arm64e',
    '/opt/homebrew/Cellar/sdl2/2.30/lib/libSDL2.dylib',
  ],
  ios: [
    '/System/Library/PrivateFrameworks/UIKitCore.framework/UIKitCore',
    '/Developer/usr/lib/libMainThreadChecker.dylib',
  ],
  windows: [
    'C:\\Windows\\System32\\ntdll.dll',
    'c:\\WINDOWS\\SysWOW64\\user32.dll',
    'D:\\Windows\\System32\\DriverStore\\FileRepository\\u0400.inf_amd64\\B400\\amdxc64.dll',
    'C:\\Windows\\WinSxS\\amd64_microsoft.windows.common-controls_6\\comctl32.dll',
    '\\SystemRoot\\System32\\win32u.dll',
    '\\\\?\\C:\\Windows\\System32\\foo.dll',
    '\\Device\\HarddiskVolume3\\Windows\\System32\\foo.dll',
    'C:\\Program Files\\dotnet\\shared\\Microsoft.NETCore.App\\8.0.1\\coreclr.dll',
    'C:\\Program Files\\WindowsApps\\Microsoft.VCLibs.140.00_14.0_x64__8wekyb3d8bbwe\\vcruntime140.dll',
    'Z:\\home\\<user>\\.steam\\steamapps\\common\\Proton 9.0\\files\\lib64\\wine\\x86_64-windows\\kernelbase.dll',
  ],
  unknown: ['/usr/lib/libc.so.6', 'C:\\Windows\\System32\\ntdll.dll', '/system/lib64/libart.so', '/System/Library/X'],
};

const OWN: Readonly<Partial<Record<OsName, readonly string[]>>> = {
  android: [
    '/data/app/~~q1==/com.studio.game-x==/lib/arm64/libgame.so',
    '/data/app/com.studio.game-1/base.apk!/lib/arm64-v8a/libgame.so',
    '/mnt/expand/1234/app/com.studio.game/lib/arm64/libgame.so',
    '/data/user/0/com.studio.game/files/libpatch.so',
    '/system/app/Game/lib/arm64/libgame.so',
    'libgame.so',
  ],
  linux: [
    '/usr/games/parking',
    '/usr/lib/games/parking/libaudio.so',
    '/usr/share/parking/libaudio.so',
    '/opt/parking/libaudio.so',
    '/app/lib/libaudio.so',
    '/home/<user>/.steam/steamapps/common/Parking/lib/libSDL2.so',
    '/home/<user>/lib/libfoo.so',
    '/srv/usr/lib/libfoo.so',
    'libgame.so',
  ],
  macos: [
    '/Applications/Parking.app/Contents/MacOS/Parking',
    '/Users/<user>/Library/Application Support/Steam/steamapps/common/Parking.app/Contents/Frameworks/libfmod.dylib',
  ],
  ios: [
    '/private/var/containers/Bundle/Application/1A-2B/Parking.app/Frameworks/UnityFramework.framework/UnityFramework',
  ],
  windows: [
    'C:\\Games\\Parking\\steam_api64.dll',
    'C:\\Program Files\\WindowsApps\\Studio.Parking_1.0_x64__abc\\parking.exe',
    'D:\\Games\\Windows\\parking.exe',
    'C:\\Windows\\Temp\\parking\\parking.exe',
    'ntdll.dll',
  ],
};

describe('isSystemPath', () => {
  for (const [os, paths] of Object.entries(SYSTEM)) {
    for (const path of paths) it(`recognizes ${path} on ${os}`, () => assert.ok(isSystemPath(path, os as OsName)));
  }
  for (const [os, paths] of Object.entries(OWN)) {
    for (const path of paths)
      it(`does not take ${path} on ${os} for the system`, () => assert.ok(!isSystemPath(path, os as OsName)));
  }

  const INSTALLED: readonly (readonly [executable: string, path: string, isSystem: boolean])[] = [
    ['/usr/bin/parking', '/usr/bin/parking', false],
    ['/usr/bin/parking', '/usr/lib/parking/libaudio.so', false],
    ['/usr/bin/parking', '/usr/lib/x86_64-linux-gnu/parking/libaudio.so', false],
    ['/usr/bin/parking', '/usr/lib/x86_64-linux-gnu/libaudio.so', true],
    ['/usr/lib/parking/bin/parking.x86_64', '/usr/lib/parking/libaudio.so', false],
    ['/usr/lib/games-extra/start', '/usr/lib/games-extra/plugins/libaudio.so', false],
    ['/nix/store/a1-parking-1.2/bin/parking', '/nix/store/a1-parking-1.2/lib/libaudio.so', false],
    ['/nix/store/a1-parking-1.2/bin/parking', '/nix/store/b2-glibc-2.40/lib/libc.so.6', true],
    ['/snap/parking/12/parking', '/snap/parking/12/usr/lib/libSDL2.so', false],
    ['/snap/parking/12/parking', '/snap/core22/1/usr/lib/libc.so.6', true],
    ['/usr/bin/python3', '/usr/lib/python3/dist-packages/pygame/base.so', true],
    ['/games/parking', '/usr/lib/libparking/x.so', true],
  ];
  for (const [executable, path, isSystem] of INSTALLED) {
    it(`${isSystem ? 'recognizes' : 'does not take'} ${path} ${isSystem ? '' : 'for the system '}when ${executable} runs`, () =>
      assert.equal(isSystemPath(path, 'linux', executable), isSystem));
  }

  it('is fast for any path', () => {
    const start = process.cpuUsage();
    for (const piece of ['/', '/a', '/usr', '/app', 'com.', '/files/', '\\', '/data/', ' '])
      for (const os of ['linux', 'android', 'windows', 'macos', 'unknown'] as const)
        isSystemPath(piece.repeat(1_000_000 / piece.length), os, piece.repeat(100_000));
    assert.ok(process.cpuUsage(start).user < 2_000_000);
  });
});

describe('findSystemCode', () => {
  const modules = [
    { filename: 'game', code_file: '/home/<user>/game', base_addr: '0x1000', end_addr: '0x2000' },
    { filename: 'libSDL2.so', code_file: '/usr/lib/libSDL2.so', base_addr: '0x2000', end_addr: '0x3000' },
    { filename: 'libSDL2.so', code_file: '/home/<user>/lib/libSDL2.so', base_addr: '0x3000', end_addr: '0x4000' },
  ];
  const isSystem = findSystemCode('linux', { modules, main: 0 });

  it('distinguishes modules with the same name by their addresses', () => {
    assert.equal(isSystem(frameOf({ module: 'libSDL2.so', offset: '0x2010' })), true);
    assert.equal(isSystem(frameOf({ module: 'libSDL2.so', offset: '0x3010' })), false);
  });

  it('uses the folder in the frame of a stack from text', () => {
    assert.equal(isSystem(frameOf({ module: '/usr/lib/libfoo.so' })), true);
    assert.equal(isSystem(frameOf({ module: '/opt/game/libfoo.so' })), false);
    assert.equal(isSystem(frameOf({ module: null })), false);
  });

  it("does not count the executable as the game's on Android, where it belongs to the system", () => {
    const zygote = [{ filename: 'app_process64', code_file: '/system/bin/app_process64' }];
    const frame = frameOf({ module: 'app_process64' });
    assert.equal(findSystemCode('android', { modules: zygote, main: 0 })(frame), true);
    assert.equal(
      findSystemCode('linux', { modules: [{ ...zygote[0]!, code_file: '/usr/bin/app' }], main: 0 })(frame),
      false,
    );
  });
});
