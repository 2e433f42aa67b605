// Limits the image library to the formats that the service accepts, for the whole process.

// The main thread loads the library as well, as its documentation requires: on glibc, a native library that only worker
// threads have loaded is unloaded when the last of them ends, while the library's own threads are still running.
import sharp from 'sharp';

// The library supports many formats, some with large, old decoders, so only these are enabled. The setting applies to
// the whole process. It is made here, once, because changing it in each thread would refuse images that other threads
// are reading.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadNsgif', 'VipsForeignLoadWebp'],
});
