// Puts the site together: gives the built files names that carry their content's digest, writes the module that
// starts the page, copies public/, compresses, and lists it all in assets.json.
//
//   node site.mjs BUILT SITE [--debug]
//
// BUILT holds what wasm-bindgen, wasm-opt and lightningcss made: impri.js, impri_bg.wasm, impri.css, maybe
// snippets/. SITE is made equal to the result: files that are already right are left alone (cargo looks at
// times), files that do not belong are removed.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const [built, site, flag] = process.argv.slice(2);
const debug = flag === "--debug";
const compressible = new Set([".css", ".html", ".js", ".json", ".map", ".mjs", ".svg", ".txt", ".wasm", ".webmanifest", ".xml"]);

/** Every file of the site: path below SITE → content. */
const files = new Map();
const read = (name) => readFileSync(join(built, name));
const short = (content) => createHash("sha256").update(content).digest("hex").slice(0, 16);
const walk = (dir) =>
  existsSync(dir)
    ? readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? walk(join(dir, entry.name)).map((name) => `${entry.name}/${name}`) : [entry.name])
    : [];

/** The files under hashed names: logical name → path below SITE. */
const named = {};
const add = (logical, content) => {
  const dot = logical.lastIndexOf(".");
  const path = `pkg/${logical.slice(0, dot)}.${short(content)}${logical.slice(dot)}`;
  named[logical] = path;
  files.set(path, content);
  return path.slice("pkg/".length);
};

// Snippets are scripts that crates bring along; impri.js imports them by a relative path.
let glue = read("impri.js").toString();
const snippets = walk(join(built, "snippets")).filter((name) => /\.m?js$/.test(name));
if (snippets.length > 0) {
  const folder = `snippets-${short(snippets.map((name) => `${name}\n${read(`snippets/${name}`)}`).join("\n"))}`;
  for (const name of snippets) files.set(`pkg/${folder}/${name}`, read(`snippets/${name}`));
  glue = glue.replaceAll("./snippets/", `./${folder}/`);
}

const js = add("impri.js", Buffer.from(glue));
const wasm = add("impri.wasm", read("impri_bg.wasm"));
add("impri.css", read("impri.css"));
const starter = readFileSync(new URL("start.js", import.meta.url)).toString();
add("start.js", Buffer.from(starter.replace("GLUE", `./${js}`).replace("WASM", `./${wasm}`)));

for (const name of walk("public")) {
  if (!name.split("/").some((part) => part.startsWith(".DS_Store"))) files.set(name, readFileSync(join("public", name)));
}

// Compressed forms, side by side. Quality 11 takes seconds for the wasm file, so a debug build does with less.
const brotli = (content) =>
  promisify(brotliCompress)(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: debug ? 4 : 11,
      [constants.BROTLI_PARAM_LGWIN]: 22,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
const small = {};
await Promise.all([...files].map(async ([path, content]) => {
  if (!compressible.has(extname(path)) || content.length < 256) return;
  const [br, gz] = await Promise.all([brotli(content), promisify(gzip)(content, { level: debug ? 6 : 9 })]);
  if (br.length < content.length) files.set(`${path}.br`, br);
  if (gz.length < content.length) files.set(`${path}.gz`, gz);
  small[path] = Math.min(br.length, content.length);
}));

const assets = {};
for (const [logical, path] of Object.entries(named).sort()) {
  const raw = files.get(path).length;
  assets[logical] = { path: `/${path}`, raw, br: small[path] ?? raw };
}
files.set("assets.json", Buffer.from(`${JSON.stringify(assets, null, 2)}\n`));

// Make SITE so; assets.json last, it is the one that others watch.
for (const path of walk(site)) if (!files.has(path)) unlinkSync(join(site, path));
for (const [path, content] of files) {
  const target = join(site, path);
  if (existsSync(target) && readFileSync(target).equals(content)) continue;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
}
const prune = (dir) => {
  for (const entry of readdirSync(dir, { withFileTypes: true })) if (entry.isDirectory()) prune(join(dir, entry.name));
  if (dir !== site && readdirSync(dir).length === 0) rmdirSync(dir);
};
prune(site);

const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
for (const [logical, { raw, br }] of Object.entries(assets)) {
  console.error(`  ${logical.padEnd(12)}${kb(raw).padStart(12)}${kb(br).padStart(12)} brotli`);
}
const total = Object.values(assets).reduce((sum, { raw, br }) => [sum[0] + raw, sum[1] + br], [0, 0]);
console.error(`  ${"first visit".padEnd(12)}${kb(total[0]).padStart(12)}${kb(total[1]).padStart(12)} brotli`);
