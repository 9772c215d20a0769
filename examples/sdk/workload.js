// The same in JavaScript (Node.js); see workload.py.
const fs = require('fs'), os = require('os'), path = require('path');

const out = process.env.SIMRUN_OUTPUT ? fs.openSync(process.env.SIMRUN_OUTPUT, 'a') : -1;
const tell = (message) => { if (out >= 0) fs.writeSync(out, JSON.stringify(message) + '\n'); };

const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'register-')), 'register');
fs.writeFileSync(file, '');
let cached;
tell({simrun: 'setup_complete'});
for (let n = 0; n < 20; n++) {
	if (Math.random() < 0.5) {
		tell({type: 'invoke', process: 1, f: 'put', key: 'k', value: `v${n}`});
		fs.writeFileSync(file, `v${n}`);
		tell({type: 'ok', process: 1});
	} else {
		tell({type: 'invoke', process: 1, f: 'get', key: 'k'});
		let value = fs.readFileSync(file, 'utf8');
		if (process.env.BUG === '1') value = cached = cached ?? value;
		tell({type: 'ok', process: 1, value});
		tell({simrun: 'sometimes', message: 'node read something', condition: value !== '', location: 'workload.js:24'});
	}
}
tell({simrun: 'event', name: 'node is done', details: {operations: 20}});
