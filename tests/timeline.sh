#!/bin/sh
# The timeline page in a real browser: a history of 10,000 operations is drawn, zoomed, clicked, hovered; a cycle of
# transactions is a graph. Screenshots stay in build/timeline.   CHECK: the command (default "$SIMRUN check", "./simrun check")
cd "$(dirname "$0")/.." || exit 99
check=${CHECK:-${SIMRUN:-./simrun} check}
dir=build/timeline
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
	echo "1..0 # SKIP no chromium"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
mkdir -p $dir || exit 99
n=0 passed=0 failed=0
result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then passed=$((passed + 1)) && echo "ok $n - $2"; else failed=$((failed + 1)) && echo "not ok $n - $2"; fi
}
show() { timeout -k 5 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1400,900 --virtual-time-budget=4000 "$@" 2>/dev/null; }

# 10,000 operations of 12 clients on 4 keys, one read stale.
awk 'BEGIN { srand(3); n = 10000; t = 0
	for (c = 0; c < 12; c++) free[c] = 0
	for (i = 0; i < n; i++) {
		c = i % 12; k = int(i / 12) % 4; t += 5
		if (free[c] > t) t = free[c]
		if (i % 3 == 0) { v[k] = "v" i; printf "{\"process\":%d,\"f\":\"put\",\"key\":\"k%d\",\"value\":\"%s\",\"output\":null,\"start\":%d,\"end\":%d}\n", c, k, v[k], t, t + 1 }
		else { o = v[k]; if (i == 7000) o = old[k]; if (i < 600) old[k] = v[k]; printf "{\"process\":%d,\"f\":\"get\",\"key\":\"k%d\",\"value\":null,\"output\":\"%s\",\"start\":%d,\"end\":%d}\n", c, k, o, t + 1, t + 2 }
		free[c] = t + 3
	} }' >$dir/big.jsonl
$check -q -history $dir/big.jsonl -timeline $dir/big.html >/dev/null 2>&1
[ $? = 1 ] && [ -s $dir/big.html ]
result $? "a violation writes the page"
cat >$dir/txn.jsonl <<'TXN'
{"type":"invoke","process":0,"f":"txn","value":[["r","x",null],["append","y",1]],"id":0,"time":1}
{"type":"invoke","process":1,"f":"txn","value":[["r","y",null],["append","x",1]],"id":1,"time":2}
{"type":"ok","process":0,"f":"txn","value":[["r","x",[]],["append","y",1]],"id":0,"time":3}
{"type":"ok","process":1,"f":"txn","value":[["r","y",[]],["append","x",1]],"id":1,"time":4}
TXN
$check -q -history $dir/txn.jsonl -timeline $dir/txn.html >/dev/null 2>&1

# A script behind the page acts as a user and writes what it saw into the document.
act() { # page script
	awk -v s="$2" '{ sub(/<\/body><\/html>$/, ""); print } END { print "<script>setTimeout(()=>{const out={};try{" s "}catch(e){out.error=String(e)}const p=document.createElement(\"pre\");p.id=\"result\";p.textContent=JSON.stringify(out);document.body.append(p)},800)</script></body></html>" }' "$dir/$1.html" >"$dir/$1-act.html"
	show --dump-dom "file://$PWD/$dir/$1-act.html" | grep -o '<pre id="result">[^<]*' | sed 's/<pre id="result">//; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >"$dir/$1.result"
}
saw() { # page pattern what
	grep -qE "$2" "$dir/$1.result"
	r=$?
	[ $r = 0 ] || sed 's/^/# /' "$dir/$1.result" | cut -c1-600
	result $r "$3"
}
start=$(date +%s)
act big '
out.alone=simrun.state.only&&simrun.state.rows===3;document.getElementById("only").click();out.all=!simrun.state.only&&simrun.state.rows===12;
const c=document.getElementById("c"),r=c.getBoundingClientRect(),ev=(t,x,y,o)=>c.dispatchEvent(new (t==="wheel"?WheelEvent:MouseEvent)(t,Object.assign({bubbles:true,clientX:x,clientY:y},o||{})));
out.ops=simrun.D.ops.length;out.part=simrun.state.part;out.marks=simrun.state.marks>0;
document.querySelector("[data-p]").click();document.getElementById("only").click();simrun.fit();const k0=simrun.state.k;
for(let i=0;i<4;i++)ev("wheel",r.left+600,r.top+60,{deltaY:-240});out.zoomed=simrun.state.k>k0*2;
simrun.fit();out.drawn=0;for(let i=0;i<200;i++){simrun.draw();out.drawn++}
const x0=simrun.state.x0;ev("mousedown",r.left+700,r.top+80);ev("mousemove",r.left+500,r.top+80);c.dispatchEvent(new MouseEvent("mouseup",{bubbles:true,clientX:r.left+500,clientY:r.top+80}));out.panned=simrun.state.x0>x0;
document.getElementById("core").click();let hit=null;for(let y=24;y<500&&!hit;y+=4)for(let x=120;x<1380;x+=4)if(simrun.at({clientX:r.left+x,clientY:r.top+y})>=0){hit=[r.left+x,r.top+y];break}
ev("mousemove",hit[0],hit[1]);out.tip=document.getElementById("tip").style.display==="block"&&/line/.test(document.getElementById("tip").textContent);
ev("mousedown",hit[0],hit[1]);c.dispatchEvent(new MouseEvent("mouseup",{bubbles:true,clientX:hit[0],clientY:hit[1]}));out.selected=simrun.state.sel>=0;
const o=simrun.D.parts[0].order;out.state=/state then/.test(simrun.info(o[o.length-1]));out.reason=/stale read/.test(document.getElementById("why").textContent);
document.getElementById("ls").click();out.listed=document.querySelectorAll("#list div").length>100;
const s=document.getElementById("key");s.value="1";s.dispatchEvent(new Event("change"));out.filtered=simrun.state.key===1;'
took=$(($(date +%s) - start))
saw big '"ops":10000' "10,000 operations are in the page"
saw big '"reason":true' "the reason is told"
saw big '"alone":true' "failing operations far apart are shown alone"
saw big '"all":true' "and among all others on request"
saw big '"zoomed":true' "the wheel zooms"
saw big '"panned":true' "dragging moves"
saw big '"drawn":200' "200 frames with 10,000 operations are drawn"
[ $took -lt 40 ]
result $? "all that within 40 s of real time ($took s)"
saw big '"tip":true' "hovering tells the operation"
saw big '"state":true' "hovering tells the state at the linearization point"
saw big '"selected":true' "a click selects"
saw big '"listed":true' "the linearization can be listed"
saw big '"filtered":true' "a key can be picked"
grep -q '"error"' $dir/big.result && sed 's/^/# /' $dir/big.result
act txn '
out.nodes=document.querySelectorAll("#graph .nd").length;out.label=simrun.D.ops[0][6];out.labels=document.querySelector("#graph svg").textContent;
document.querySelector("#graph .nd").dispatchEvent(new MouseEvent("click",{bubbles:true}));out.selected=simrun.state.sel>=0;'
saw txn '"nodes":2' "a cycle is a graph of its transactions"
saw txn '"label":"T0 .r x .., append y 1."' "bars are named as in the explanation"
saw txn 'rw x' "its edges are labelled"
saw txn '"selected":true' "a node leads to its operation"
for p in big txn; do
	show --screenshot="$PWD/$dir/$p.png" "file://$PWD/$dir/$p.html" >/dev/null
	[ "$(wc -c <$dir/$p.png)" -gt 20000 ]
	result $? "screenshot $dir/$p.png"
done
echo "1..$n"
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
