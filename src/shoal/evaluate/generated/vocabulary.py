"""Which words does the generated web use? Nothing but data, all of it written for Shoal.

Six fields are topics that a crawl can look for; ten more fill the rest of the web. They share words on purpose: a
transformer is a machine of the power grid and a model of machine learning, a battery stores energy or tests pupils, a
conductor leads an orchestra or a train, 轨道 carries trains or careers. A page is about a field because most of its
sentences are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Language = Literal["en", "zh"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """What one field says in one language."""

    label: str
    """What a menu calls the field."""
    things: tuple[str, ...]
    """Nouns that follow `the`."""
    doings: tuple[str, ...]
    """Verbs, in the third person, that take such a noun."""
    qualities: tuple[str, ...]
    """Adjectives."""
    people: tuple[str, ...]
    """Who speaks; English ones are plurals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalField:
    """A subject that pages are written about."""

    name: str
    en: Lexicon
    zh: Lexicon

    def words(self, language: Language) -> Lexicon:
        return self.en if language == "en" else self.zh


def listed(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(","))


def _field(name: str, en: tuple[str, str, str, str, str], zh: tuple[str, str, str, str, str]) -> LexicalField:
    english, chinese = (
        Lexicon(
            label=label,
            things=listed(things),
            doings=listed(doings),
            qualities=listed(qualities),
            people=listed(people),
        )
        for label, things, doings, qualities, people in (en, zh)
    )
    return LexicalField(name=name, en=english, zh=chinese)


TOPICS = (
    _field(
        "power-grid",
        (
            "Power grid",
            "power grid, substation, transformer, transmission line, smart grid, feeder, busbar, "
            "switchgear, circuit breaker, distribution network, load forecast, dispatch centre, "
            "high voltage line, relay, frequency reserve, grid operator, insulator, overhead line, "
            "voltage drop, short circuit, peak load, interconnector, control room, reactive power, pylon, "
            "grid code, blackout, synchronous condenser, cable tunnel, earthing system, demand response, "
            "wind farm",
            "feeds, protects, overloads, disconnects, balances, supplies, monitors, stabilises, isolates, "
            "transmits power to, regulates, draws current from, is connected to, restores",
            "three-phase, high-voltage, overloaded, redundant, grounded, regional, digital, synchronised, "
            "underground, ageing",
            "grid operators, dispatchers, line workers, power engineers, protection engineers",
        ),
        (
            "电网",
            "电网,变电站,变压器,输电线路,智能电网,馈线,母线,开关柜,断路器,配电网,负荷预测,调度中心,"
            "高压线路,继电保护,调频备用,绝缘子,架空线,电压降,短路电流,尖峰负荷,联络线,主控室,无功功率,铁塔,"
            "并网规程,停电事故,调相机,电缆隧道,接地装置,需求响应,风电场,特高压工程",
            "供电给,保护,切除,平衡,监测,稳定,隔离,调节,连接,恢复,带动,补偿",
            "三相,高压,过载,冗余,区域,数字化,同步,地下,老旧,重要",
            "调度员,线路工人,电力工程师,运维班组,电网公司",
        ),
    ),
    _field(
        "batteries",
        (
            "Batteries",
            "battery, lithium cell, cathode, anode, electrolyte, separator, battery pack, energy storage, "
            "charging cycle, module, solid-state battery, sodium cell, cell chemistry, capacity loss, "
            "thermal runaway, battery management system, graphite, state of charge, fast charging, "
            "electrode coating, nickel content, recycling plant, coulomb counter, dendrite, flow battery, "
            "discharge curve, current collector, cycle life, energy density, inverter, pouch cell, "
            "second life",
            "stores, charges, discharges, degrades, heats, cools, balances, coats, conducts ions to, "
            "limits, recycles, powers",
            "rechargeable, lithium, porous, ageing, solid, high-capacity, cylindrical, thermal, cheap, stationary",
            "battery chemists, cell makers, storage engineers, recyclers, materials scientists",
        ),
        (
            "电池储能",
            "电池,锂离子电芯,正极材料,负极材料,电解液,隔膜,电池包,储能电站,充放电循环,模组,固态电池,"
            "钠离子电池,容量衰减,热失控,电池管理系统,石墨,荷电状态,快充,极片涂布,高镍材料,回收工厂,锂枝晶,"
            "液流电池,放电曲线,集流体,循环寿命,能量密度,逆变器,软包电芯,梯次利用,磷酸铁锂,储能柜",
            "储存,充满,放电给,老化,加热,冷却,均衡,涂覆,限制,回收,驱动,抑制",
            "可充电,锂电,多孔,老化,固态,大容量,圆柱,热稳定,廉价,集装箱式",
            "电池化学家,电芯厂商,储能工程师,回收企业,材料学家",
        ),
    ),
    _field(
        "electric-vehicles",
        (
            "Electric vehicles",
            "electric car, charging station, electric motor, range, charging cable, battery pack, "
            "plug-in hybrid, wall box, electric bus, regenerative braking, inverter, fast charging, "
            "vehicle-to-grid, fleet, driver assistance, heat pump, charging plug, electric van, "
            "motorway charger, drivetrain, onboard charger, test drive, purchase grant, kilometre, "
            "parking space, tyre, electric truck, winter range, dashboard, charging card, silent engine, "
            "battery swap",
            "charges, drives, overtakes, brakes, parks beside, accelerates, tows, replaces, cools, "
            "plugs into, powers, steers",
            "electric, emission-free, silent, two-door, rear-wheel, affordable, compact, fast-charging, "
            "heavy, connected",
            "car makers, drivers, fleet managers, charging operators, motor engineers",
        ),
        (
            "电动汽车",
            "电动汽车,充电桩,驱动电机,续航里程,充电枪,动力电池,插电混动车,家用充电盒,电动公交,能量回收,"
            "电控系统,快充站,车网互动,车队,辅助驾驶,热泵空调,充电接口,电动货车,高速充电站,传动系统,"
            "车载充电机,试驾,购车补贴,停车位,轮胎,电动卡车,冬季续航,仪表盘,换电站,新能源汽车,底盘,车主",
            "充电给,驱动,超过,制动,停靠在,加速,牵引,替代,冷却,接入,供能给,操控",
            "电动,零排放,安静,后驱,紧凑,平价,快充,智能,重型,网联",
            "车企,司机,车队经理,充电运营商,电机工程师",
        ),
    ),
    _field(
        "rail",
        (
            "Railways",
            "railway, locomotive, high-speed train, track, sleeper, signal box, overhead line, station, "
            "platform, timetable, freight train, level crossing, bogie, rail bridge, turnout, conductor, "
            "carriage, interlocking, ballast, rail tunnel, commuter line, pantograph, wheelset, "
            "marshalling yard, night train, ticket gate, dispatcher, metro line, brake test, "
            "rail corridor, train driver, gauge",
            "departs for, carries, couples to, passes, overtakes, stops at, shunts, signals, crosses, "
            "reaches, delays, hauls",
            "high-speed, single-track, electrified, delayed, regional, narrow-gauge, crowded, punctual, "
            "historic, automatic",
            "train drivers, signallers, passengers, track workers, rail planners",
        ),
        (
            "铁路",
            "铁路,机车,高速列车,轨道,轨枕,信号楼,接触网,车站,站台,时刻表,货运列车,平交道口,转向架,铁路桥,"
            "道岔,列车长,车厢,联锁系统,道砟,铁路隧道,通勤线路,受电弓,轮对,编组站,夜行列车,检票口,行车调度,"
            "地铁线路,制动试验,高铁走廊,司机,轨距",
            "驶向,运载,连挂,通过,越行,停靠,调车至,指挥,跨越,到达,延误,牵引",
            "高速,单线,电气化,晚点,区域,窄轨,拥挤,正点,历史悠久,自动化",
            "火车司机,信号员,旅客,线路工,铁路规划师",
        ),
    ),
    _field(
        "hydrology",
        (
            "Rivers and water",
            "river basin, stream gauge, reservoir, flood forecast, groundwater, rainfall, discharge curve, "
            "sediment, dam, levee, catchment, runoff, water level, flood plain, aquifer, spillway, "
            "drought index, snow melt, irrigation canal, estuary, evaporation, stream flow, hydrograph, "
            "wetland, storm surge, soil moisture, water quality, tributary, borehole, weir, flood peak, "
            "current",
            "floods, drains, feeds, erodes, raises, lowers, recharges, measures, stores, dilutes, crosses, supplies",
            "saturated, upstream, seasonal, shallow, muddy, regional, extreme, gauged, dry, tidal",
            "hydrologists, flood wardens, dam keepers, farmers, water boards",
        ),
        (
            "水文水利",
            "流域,水文站,水库,洪水预报,地下水,降雨量,流量曲线,泥沙,大坝,堤防,集水区,径流,水位,洪泛区,"
            "含水层,溢洪道,干旱指数,融雪,灌溉渠,河口,蒸发量,河道流量,洪水过程线,湿地,风暴潮,土壤湿度,水质,"
            "支流,观测井,拦河坝,洪峰,汛期",
            "淹没,排入,补给,冲刷,抬高,降低,测量,蓄存,稀释,流经,供水给,威胁",
            "饱和,上游,季节性,浅层,浑浊,区域,极端,干涸,感潮,平原",
            "水文学家,防汛人员,大坝管理员,农民,水务局",
        ),
    ),
    _field(
        "smart-home",
        (
            "Smart home energy",
            "smart home, smart meter, thermostat, heat pump, rooftop solar, home battery, smart plug, "
            "energy bill, motion sensor, lighting scene, home gateway, electricity tariff, insulation, "
            "standby power, water heater, window sensor, wall box, voice assistant, room temperature, "
            "household load, dimmer, radiator valve, home automation, dishwasher, app, inverter, "
            "energy monitor, floor heating, blind, load shifting, wireless protocol, family",
            "switches, controls, saves, measures, heats, dims, reports to, learns from, wakes, schedules, "
            "replaces, powers",
            "smart, wireless, efficient, programmable, well-insulated, quiet, connected, low-power, remote, warm",
            "home owners, installers, tenants, energy advisers, device makers",
        ),
        (
            "智能家居节能",
            "智能家居,智能电表,温控器,热泵,屋顶光伏,家用电池,智能插座,电费账单,人体传感器,灯光场景,"
            "家庭网关,分时电价,保温层,待机功耗,热水器,门窗传感器,语音助手,室内温度,家庭负荷,调光器,"
            "暖气阀门,家居自动化,洗碗机,手机应用,逆变器,能耗监测,地暖,智能窗帘,错峰用电,无线协议,全屋智能,"
            "住户",
            "控制,开关,节省,测量,加热,调暗,上报给,学习,唤醒,定时启动,替代,供电给",
            "智能,无线,节能,可编程,保温良好,静音,互联,低功耗,远程,温暖",
            "业主,安装师傅,租客,节能顾问,设备厂商",
        ),
    ),
)

OTHERS = (
    _field(
        "machine-learning",
        (
            "Machine learning",
            "transformer, training set, attention layer, neural network, loss curve, grid search, "
            "gradient, language model, batch, learning rate, decoder, encoder, test set, embedding, "
            "classifier, feature, data stream, benchmark, regularisation, model weight, overfitting, "
            "decision tree, feedback loop, network layer, token, recall",
            "predicts, trains on, encodes, outperforms, forgets, ranks, samples, compresses, converges to, "
            "labels, powers",
            "deep, pretrained, sparse, noisy, supervised, large, random, recurrent, small, interpretable",
            "researchers, students, data scientists, reviewers, model builders",
        ),
        (
            "机器学习",
            "变换器模型,训练集,注意力层,神经网络,损失曲线,网格搜索,梯度,语言模型,批次,学习率,解码器,编码器,"
            "测试集,词向量,分类器,特征,数据流,基准测试,正则化,模型权重,过拟合,决策树,反馈回路,网络层,"
            "充电宝数据集,召回率",
            "预测,训练,编码,超过,遗忘,排序,采样,压缩,收敛到,标注,驱动",
            "深度,预训练,稀疏,带噪声,有监督,大规模,随机,循环,轻量,可解释",
            "研究人员,学生,数据科学家,审稿人,算法工程师",
        ),
    ),
    _field(
        "computing",
        (
            "Computing",
            "grid computing, cluster, server, load balancer, message bus, network switch, database, cache, "
            "power supply, kernel, scheduler, compute grid, circuit board, thread pool, storage array, "
            "data centre, container, platform, packet, protocol stack, file system, programming language, "
            "CSS grid, memory bank, log file, back-up",
            "schedules, blocks, replicates, compiles, caches, routes, encrypts, crashes, restarts, loads, charges for",
            "distributed, concurrent, open-source, virtual, parallel, legacy, encrypted, scalable, slow, stateless",
            "administrators, programmers, users, site engineers, maintainers",
        ),
        (
            "计算机",
            "网格计算,集群,服务器,负载均衡,消息总线,网络交换机,数据库,缓存,电源,内核,调度器,计算网格,"
            "电路板,线程池,存储阵列,数据中心,容器,平台,数据包,协议栈,文件系统,编程语言,栅格布局,内存条,"
            "日志,备份",
            "调度,阻塞,复制,编译,缓存,路由到,加密,拖垮,重启,加载,隔离",
            "分布式,并发,开源,虚拟,并行,遗留,加密,可扩展,缓慢,无状态",
            "管理员,程序员,用户,运维人员,维护者",
        ),
    ),
    _field(
        "education",
        (
            "Schools",
            "battery of tests, classroom, exam, reading list, teacher training, homework, school board, "
            "scholarship, lesson, test battery, curriculum, school bus, language course, lecture, library, "
            "learning platform, marking scheme, pupil, parents' evening, career track, term paper, "
            "timetable, school garden, quiz, degree, study room",
            "teaches, examines, prepares, explains, motivates, grades, supports, discusses, postpones, "
            "charges, balances",
            "compulsory, oral, written, gifted, patient, weekly, free, annual, strict, playful",
            "teachers, pupils, parents, head teachers, lecturers",
        ),
        (
            "教育",
            "一组测验,课堂,考试,书单,教师培训,作业,学校董事会,奖学金,课程,测验题库,教学大纲,校车,语言课,"
            "讲座,图书馆,学习平台,评分标准,小学生,家长会,职业轨道,学期论文,课表,校园菜地,问答比赛,学位,"
            "自习室",
            "讲授,考查,准备,解释,激励,评定,支持,讨论,推迟,照亮,平衡",
            "必修,口头,书面,有天赋,耐心,每周,免费,年度,严格,有趣",
            "老师,学生,家长,校长,讲师",
        ),
    ),
    _field(
        "cooking",
        (
            "Cooking",
            "recipe, frying pan, charcoal grid, tomato soup, spice mix, oven, noodle dish, kitchen basin, "
            "dumpling, olive oil, baking tray, salad, chopping board, rice cooker, garlic, dessert, broth, "
            "fresh herb, batter, tea, wok, sauce, induction plate, pastry, grilled fish, family dinner",
            "simmers, seasons, fills, sweetens, replaces, accompanies, heats, covers, browns, thickens, drains",
            "spicy, crisp, tender, home-made, sour, fragrant, simple, seasonal, slow, golden",
            "cooks, guests, grandmothers, bakers, restaurant critics",
        ),
        (
            "美食",
            "菜谱,平底锅,炭火烤网,番茄汤,调料,烤箱,拌面,水槽,饺子,橄榄油,烤盘,沙拉,砧板,电饭锅,大蒜,甜点,"
            "高汤,香草,面糊,绿茶,炒锅,酱汁,电磁炉,点心,烤鱼,年夜饭",
            "炖煮,调味,填满,搭配,代替,陪伴,加热,覆盖,煎黄,勾芡,沥干",
            "麻辣,酥脆,鲜嫩,自制,酸甜,喷香,简单,时令,慢火,金黄",
            "厨师,客人,奶奶,面点师,美食家",
        ),
    ),
    _field(
        "gardening",
        (
            "Gardens",
            "flower bed, compost heap, rose bush, garden stream, seed tray, lawn, watering can, "
            "greenhouse, vegetable patch, hedge, apple tree, rain barrel, soil, herb spiral, pond, "
            "pruning shears, trellis, butterfly, garden path, bulb, mulch, terrace, orchard, robin, "
            "wheelbarrow, summer drought",
            "shades, feeds, covers, attracts, waters, crowds, drains, protects, overgrows, surrounds, borders",
            "blooming, perennial, shady, organic, wild, sunny, frost-hardy, evergreen, overgrown, fragrant",
            "gardeners, neighbours, beekeepers, florists, allotment holders",
        ),
        (
            "园艺",
            "花坛,堆肥,玫瑰丛,庭院溪流,育苗盘,草坪,喷壶,温室,菜园,绿篱,苹果树,雨水桶,土壤,香草园,池塘,"
            "修枝剪,花架,蝴蝶,花园小径,球根,覆盖物,露台,果园,知更鸟,手推车,伏旱",
            "遮挡,滋养,覆盖,吸引,浇灌,挤占,排干,保护,环绕,点缀,分隔",
            "盛开,多年生,背阴,有机,野生,向阳,耐寒,常绿,茂密,芬芳",
            "园丁,邻居,养蜂人,花农,菜农",
        ),
    ),
    _field(
        "sport",
        (
            "Sport",
            "football match, training session, running track, midfield, championship, goalkeeper, stadium, "
            "penalty, coach, league, marathon, power play, transfer market, half-time, swimming pool, "
            "medal, substitute bench, cycling stage, referee, relay race, warm-up, defence line, "
            "season ticket, jersey, scoreboard, fan club",
            "beats, trains with, overtakes, replaces, charges at, defends, cheers, signs, injures, follows, chases",
            "unbeaten, injured, young, decisive, away, legendary, fast, disciplined, tired, local",
            "fans, coaches, players, referees, commentators",
        ),
        (
            "体育",
            "足球比赛,训练课,跑道,中场,锦标赛,守门员,体育场,点球,主教练,联赛,马拉松,强攻战术,转会市场,"
            "中场休息,游泳池,奖牌,替补席,自行车赛段,裁判,接力赛,热身,防线,季票,球衣,记分牌,球迷会",
            "击败,训练,超越,替换,冲向,防守,欢呼,签下,撞伤,追随,追赶",
            "不败,受伤,年轻,关键,客场,传奇,快速,纪律严明,疲惫,本地",
            "球迷,教练,球员,裁判员,解说员",
        ),
    ),
    _field(
        "music",
        (
            "Music and film",
            "orchestra, conductor, sound track, concert hall, violin, film score, choir, radio station, "
            "record, drum kit, battery of drums, stage light, amplifier, piano trio, folk song, "
            "music video, live stream, festival, headphone, opera, documentary, lead actor, rehearsal, "
            "title track, audience, overture",
            "plays, records, follows, accompanies, inspires, opens, drowns out, repeats, charges, mixes, praises",
            "melodic, acoustic, sold-out, experimental, loud, classical, award-winning, quiet, live, nostalgic",
            "musicians, critics, listeners, directors, sound engineers",
        ),
        (
            "影音",
            "交响乐团,指挥家,原声音轨,音乐厅,小提琴,电影配乐,合唱团,广播电台,唱片,架子鼓,鼓点组合,舞台灯光,"
            "功放,钢琴三重奏,民谣,音乐短片,直播流,音乐节,耳机,歌剧,纪录片,主演,排练,主打歌,观众,序曲",
            "演奏,录制,跟随,伴奏,启发,拉开,淹没,重复,打动,混音,赞美",
            "悠扬,原声,售罄,实验性,响亮,古典,获奖,安静,现场,怀旧",
            "音乐人,乐评人,听众,导演,录音师",
        ),
    ),
    _field(
        "travel",
        (
            "Travel",
            "guest house, mountain trail, old town, harbour, boat trip, night market, train ticket, "
            "city map, temple, beach, camping site, cable car, museum, travel budget, sunrise, suitcase, "
            "river cruise, waterfall, bus station, souvenir, hot spring, viewing platform, "
            "village festival, bicycle tour, tea house, coast road",
            "overlooks, leads to, welcomes, surrounds, delights, connects, hides, reaches, crosses, charges, borders",
            "scenic, remote, crowded, charming, coastal, ancient, affordable, snowy, sunny, quiet",
            "travellers, guides, hikers, innkeepers, photographers",
        ),
        (
            "旅游",
            "民宿,登山步道,古城,港口,游船,夜市,火车票,城市地图,寺庙,海滩,露营地,缆车,博物馆,旅行预算,日出,"
            "行李箱,江轮,瀑布,汽车站,纪念品,温泉,观景台,村庄庙会,骑行路线,茶馆,海岸公路",
            "俯瞰,通往,欢迎,环绕,吸引,连接,隐藏,到达,穿过,点亮,毗邻",
            "风景优美,偏远,热闹,迷人,沿海,古老,实惠,积雪,阳光充足,宁静",
            "游客,导游,徒步者,店主,摄影师",
        ),
    ),
    _field(
        "health",
        (
            "Health",
            "blood pressure, patient, clinic, sleep rhythm, vaccination, blood stream, circulation, "
            "physiotherapy, diet plan, heart rate, stress level, waiting room, nurse, exercise bike, "
            "power nap, back pain, allergy, hospital ward, pulse, blood test, immune system, eye test, "
            "mental load, headache, breathing exercise, recovery",
            "lowers, treats, relieves, worsens, monitors, strengthens, prevents, follows, recharges, calms, regulates",
            "chronic, healthy, mild, acute, preventive, elderly, restful, daily, painful, balanced",
            "doctors, nurses, patients, therapists, pharmacists",
        ),
        (
            "健康",
            "血压,患者,诊所,睡眠节律,疫苗接种,血流,血液循环,理疗,饮食计划,心率,压力水平,候诊室,护士,健身车,"
            "午睡充电,背痛,过敏,病房,脉搏,血液检查,免疫系统,视力检查,心理负荷,头痛,呼吸练习,康复",
            "降低,治疗,缓解,加重,监测,增强,预防,伴随,恢复,安抚,调节",
            "慢性,健康,轻微,急性,预防性,年长,充足,日常,疼痛,均衡",
            "医生,护士们,病人,治疗师,药剂师",
        ),
    ),
    _field(
        "law",
        (
            "Law and politics",
            "court ruling, charge, balance of power, town council, tenancy law, assault and battery case, "
            "parliament, witness, budget debate, appeal, contract clause, power of attorney, tax law, "
            "election, public hearing, ministry, judge, reform, current account, building permit, "
            "petition, verdict, coalition, data protection law, planning law, fine",
            "rejects, amends, confirms, discharges, supports, delays, appoints, replaces, regulates, hears, overrules",
            "binding, controversial, civil, criminal, unanimous, local, federal, retroactive, fair, lengthy",
            "lawyers, judges, councillors, ministers, voters",
        ),
        (
            "法律时政",
            "法院判决,指控,权力平衡,市议会,租赁法,故意伤害案,议会,证人,预算辩论,上诉,合同条款,授权委托书,"
            "税法,选举,听证会,部委,法官,改革,经常账户,建筑许可,请愿书,裁决,联合政府,数据保护法,规划法,罚款",
            "驳回,修订,确认,撤销,支持,推迟,任命,取代,规范,听取,推翻",
            "有约束力,有争议,民事,刑事,一致,地方,联邦,可追溯,公正,冗长",
            "律师,法官们,议员,部长,选民",
        ),
    ),
)

FIELDS = {field.name: field for field in TOPICS + OTHERS}
