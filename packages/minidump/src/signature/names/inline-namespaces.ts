// Removes the inline namespaces in which libraries put their versions: `std::__ndk1::vector` is `std::vector`.

const VERSIONS: readonly RegExp[] = [
  // Standard libraries: libc++ of LLVM (`__1`, `__2`), Android (`__ndk1`), Chromium (`__Cr`), Google and Meta; libstdc++
  // (`__cxx11`, `__cxx1998`, `__8`, `_V2`). They are also inside others: `std::filesystem::__cxx11::path`. Real
  // namespaces, such as `std::__detail`, have no number.
  /(?<=\bstd(?:::\w{1,32}){0,3})::(?:__[A-Za-z]{0,8}\d+|__Cr|__u|__[amt]san|_V\d+)(?=::)/g,
  // `absl::lts_20230802`, `nlohmann::json_abi_v3_11_3`, `boost::log::v2s_mt_posix`, `openvdb::v10_0`: a date or a
  // version with several parts.
  /(?<=\w)::(?:lts_\d{8}|json_abi(?:_\w{1,24})?|v\d+(?:_\d+)+|v\d+[a-z]?_(?:mt|st)_\w{1,16}|fundamentals_v\d)(?=::)/g,
  // A plain `v9` may be a namespace of the game, so only known libraries lose it.
  /(?<=\b(?:fmt|ranges|msgpack|sol|gsl|cereal|simdjson|xsimd|yyjson|protobuf|spdlog|dnnl|ncnn|openvr|asio|toml))::v\d+(?=::)/g,
  // oneTBB: `tbb::detail::d1::task`.
  /(?<=\btbb::detail)::[dr]\d+(?=::)/g,
];

/** Libraries whose outermost namespace has the version: `icu_72::UnicodeString`, `Imath_3_1::Vec3`. */
const VERSIONED_ROOTS =
  /\b(icu|Imath|Imf|Iex|IlmThread|OpenImageIO|OpenColorIO|pxrInternal)_v?\d+(?:_\d+)*(?:__pxrReserved__)?(?=::)/g;

/** Expects a normalized name, whose length is limited. */
export function dropInlineNamespaces(name: string): string {
  if (!name.includes('::')) return name;
  return VERSIONS.reduce((text, version) => text.replace(version, ''), name).replace(VERSIONED_ROOTS, '$1');
}
