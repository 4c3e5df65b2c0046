// Runs the Khronos glTF validator over GLB files: one line a file, then its messages.
//
//   npm ci && node validate.mjs FILE.glb...
//
// Exits with 1 if any file has an error or a warning, with 2 if no file is named.

import { readFile } from "node:fs/promises";
import validator from "gltf-validator";

const SEVERITIES = ["error", "warning", "info", "hint"];

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: node validate.mjs FILE.glb...");
  process.exit(2);
}

let bad = 0;
for (const file of files) {
  try {
    const { issues } = await validator.validateBytes(new Uint8Array(await readFile(file)), {
      uri: file,
      maxIssues: 100,
    });
    const { numErrors, numWarnings, numInfos, numHints } = issues;
    console.log(`${file}: errors ${numErrors} warnings ${numWarnings} infos ${numInfos} hints ${numHints}`);
    for (const { severity, code, message, pointer } of issues.messages) {
      console.log(`  ${SEVERITIES[severity]} ${code}: ${message} ${pointer ?? ""}`);
    }
    bad += numErrors + numWarnings;
  } catch (error) {
    console.log(`${file}: errors 1 warnings 0 infos 0 hints 0`);
    console.log(`  error UNREADABLE: ${error.message ?? error}`);
    bad += 1;
  }
}
process.exit(bad > 0 ? 1 : 0);
