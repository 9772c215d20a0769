// needs: rustc
// std: threads, mpsc, the order of a HashMap, condition variables, channels with time limits, processes, sockets, files.
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{mpsc, Arc, Barrier, Condvar, Mutex, RwLock};
use std::time::{Duration, Instant, SystemTime};
use std::{env, fs, process, thread};

fn main() {
    let map: HashMap<String, usize> = (0..20).map(|i| (format!("key{i}"), i)).collect();
    println!("{:?}", map.values().collect::<Vec<_>>());

    let (tx, rx) = mpsc::channel();
    let barrier = Arc::new(Barrier::new(4));
    let workers: Vec<_> = (0..4)
        .map(|n| {
            let (tx, barrier) = (tx.clone(), barrier.clone());
            thread::spawn(move || {
                barrier.wait();
                for i in 0..10 {
                    let seed: HashSet<u32> = (0..8).collect();
                    thread::sleep(Duration::from_micros(*seed.iter().next().unwrap() as u64 * 100 + n));
                    tx.send((n, i)).unwrap();
                }
            })
        })
        .collect();
    drop(tx);
    let order: Vec<_> = rx.iter().map(|(n, _)| n).collect();
    assert_eq!(order.len(), 40);
    println!("{order:?}");
    workers.into_iter().for_each(|w| w.join().unwrap());

    let (sync, slow) = mpsc::sync_channel(1);
    let sender = thread::spawn(move || (0..5).for_each(|i| sync.send(i).unwrap()));
    assert_eq!(slow.iter().inspect(|_| thread::sleep(Duration::from_millis(1))).sum::<i32>(), 10);
    sender.join().unwrap();

    let pair = Arc::new((Mutex::new(0), Condvar::new()));
    thread::scope(|s| {
        for _ in 0..3 {
            s.spawn(|| {
                *pair.0.lock().unwrap() += 1;
                pair.1.notify_all();
            });
        }
        let mut n = pair.0.lock().unwrap();
        while *n < 3 {
            n = pair.1.wait(n).unwrap();
        }
        let from = Instant::now();
        let (_n, timeout) = pair.1.wait_timeout(n, Duration::from_secs(2)).unwrap();
        assert!(timeout.timed_out() && from.elapsed() >= Duration::from_secs(2));
        println!("{:?} {:?}", from.elapsed(), SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap());
    });
    let lock = RwLock::new(1);
    assert_eq!(*lock.read().unwrap(), 1);

    let out = process::Command::new("sh").args(["-c", "echo $$; exit 4"]).output().unwrap();
    assert_eq!(out.status.code(), Some(4));
    print!("{}", String::from_utf8_lossy(&out.stdout));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let server = thread::spawn(move || {
        let (mut c, _) = listener.accept().unwrap();
        let mut line = String::new();
        BufReader::new(c.try_clone().unwrap()).read_line(&mut line).unwrap();
        c.write_all(line.to_uppercase().as_bytes()).unwrap();
    });
    let mut c = TcpStream::connect(addr).unwrap();
    c.write_all(b"hello\n").unwrap();
    let mut answer = String::new();
    c.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "HELLO\n");
    server.join().unwrap();
    let path = env::temp_dir().join(format!("rust-{}", process::id()));
    fs::write(&path, "x").unwrap();
    println!("{:?}", fs::metadata(&path).unwrap().modified().unwrap());
    fs::remove_file(path).unwrap();
    let caught = thread::spawn(|| -> () { panic!("wanted") }).join();
    assert!(caught.is_err());
}
